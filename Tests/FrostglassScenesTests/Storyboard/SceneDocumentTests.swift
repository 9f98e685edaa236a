import FrostglassScenes
import FrostglassCore
import Testing

@Suite struct SceneDocumentTests {
  private func read(_ json: String) throws -> SceneDocument { try SceneDocument(json: json) }

  /// A document of one layer on a small canvas.
  private func layer(_ json: String) throws -> LayerDocument {
    try #require(
      read("{\"canvas\": {\"width\": 100, \"height\": 200}, \"layers\": [\(json)]}").layers.first)
  }

  private func message(_ json: String) -> String {
    do {
      _ = try SceneDocument(json: json)
      return "no error"
    } catch { return "\(error)" }
  }

  private func layerMessage(_ json: String) -> String {
    message("{\"canvas\": {\"width\": 100, \"height\": 200}, \"layers\": [\n\(json)]}")
  }

  @Test func theLeastIsACanvas() throws {
    let document = try read("{\"canvas\": {\"width\": 390, \"height\": 844.5, \"scale\": 3}}")
    #expect(document.canvas.pixels == Size(width: 1170, height: 2534))
    #expect(document.canvas.background == .white)
    #expect(document.duration == 0)
    #expect(document.layers.isEmpty && document.content == nil)
  }

  @Test func itemsKeepWhatIsGivenAndTheRestOfTheirResting() throws {
    let json = """
      {"kind": "bar", "id": "top", "min": 20, "max": 100, "items": [
        {"id": "title", "text": "Hello", "size": 20, "align": "center",
         "left": 10, "right": "bar.right - 10", "centerY": "bar.centerY", "height": 30, "alpha": 0.9,
         "keyframes": [{"progress": 0}, {"progress": 2, "alpha": 0, "top": "bar.top + 4",
           "height": 10, "easing": "easeIn", "transform": {"scale": 0.5, "translate": [3, 0]}}]}]}
      """
    guard case .bar(let bar) = try layer(json) else {
      Issue.record("not a bar")
      return
    }
    let item = try #require(bar.items.first)
    guard case .text(let text) = item.content else {
      Issue.record("not a text")
      return
    }
    #expect(text.text == "Hello" && text.size == 20 && text.alignment == .center)
    let frames = item.layout.keyframes
    // What lies outside 0…1 counts as the nearer end.
    #expect(frames.map(\.progress) == [0, 1])
    #expect(frames[0].pose.attributes.alpha == 0.9)
    #expect(frames[0].pose.layout?.centerY == .bar(.centerY))
    #expect(frames[1].pose.attributes.alpha == 0)
    // Of the vertical axis something is said, so all of it is new; the horizontal one stays.
    #expect(frames[1].pose.layout?.centerY == nil)
    #expect(frames[1].pose.layout?.top == .bar(.top, plus: 4))
    #expect(frames[1].pose.layout?.right == .bar(.right, plus: -10))
    #expect(frames[1].easing == .easeIn)
    let center = frames[1].pose.attributes.transform.apply(to: LayoutPoint(x: 2, y: 2))
    #expect(center == LayoutPoint(x: 4, y: 1))
  }

  @Test func symbolsAreFoundByName() throws {
    guard
      case .item(let item) = try layer(
        #"{"symbol": "battery", "level": 0.5, "weight": "bold", "color": "content"}"#),
      case .symbol(let symbol) = item.content
    else {
      Issue.record("no symbol")
      return
    }
    #expect(symbol.symbol.name == "battery" && symbol.level == 0.5)
    #expect(symbol.weight == .bold && symbol.color == .content)
    let wrong = layerMessage(#"{"symbol": "batery"}"#)
    #expect(wrong.hasPrefix("2:12: layers[0].symbol: must be airplane, airplay, "), "\(wrong)")
    #expect(wrong.hasSuffix("wifi, not \"batery\" (did you mean battery?)"), "\(wrong)")
  }

  @Test(
    arguments: [
      (
        #"{"text": "a", "border": {"color": "red"}}"#,
        #"has "border", which is for what has an edge"#
      ),
      (#"{"symbol": "lock", "shadow": {}}"#, #"has "shadow", which is for what has an edge"#),
      (#"{"gradient": ["red"]}"#, "layers[0].gradient: needs two colors or more"),
      (#"{"fill": "red", "keyframes": [{"alpha": 1}]}"#, #"has no "progress" or "at""#),
      (
        #"{"fill": "red", "keyframes": [{"at": 1}, {"progress": 1}]}"#,
        #"keyframes[1]: has "progress"; the keyframes before it have "at""#
      ),
      (#"{"fill": "red", "vibrancy": "blur(1px)"}"#, "which is for images, texts and symbols"),
      (#"{"text": "{time m:s}"}"#, #"has the format "m:s"; there are m:ss"#),
      (
        #"{"fill": "red", "keyframes": [{"at": 1, "easing": {"duration": 0.5}}, {"at": 1.5, "alpha": 0}]}"#,
        "2:51: layers[0].keyframes[0].easing: is a spring that rests after 0.94 s, and the next keyframe "
          + "comes after 0.50 s; give that one at 1.94 or later"
      ),
      (
        #"{"fill": "red", "keyframes": [{"at": 1, "easing": {"bounce": 1}}]}"#,
        "has no \"duration\" or \"stiffness\""
      ),
      (
        #"{"fill": "red", "keyframes": [{"at": 1, "easing": {"stiffness": 1, "damping": 0.001}}]}"#,
        "keyframes[0].easing: spring: the time until it rests is"
      ),
      (
        #"{"kind": "backdrop", "frame": [0, 0, 9, 9], "arrivalDuration": 1, "arrivalEasing": {"duration": 1}}"#,
        "layers[0].arrivalDuration: is given beside a spring"
      ),
      (#"{"items": [], "vibrancy": "blur(1px)"}"#, "not for a group"),
      (#"{"fill": "red", "border": {"color": "red", "edges": []}}"#, "border.edges: is empty"),
      (
        #"{"fill": "red", "border": {"color": "red", "edges": ["up"]}}"#,
        "edges[0]: must be top, bottom"
      ),
      (
        #"{"kind": "status-bar", "style": "auto", "controllers": {"name": "a"}}"#,
        #"layers[0].style: is given beside "controllers""#
      ),
      (
        #"{"kind": "status-bar", "events": [{"at": 1, "pop": "a"}]}"#,
        "layers[0].events[0].pop: changes controllers, and the status bar has none"
      ),
      (
        #"{"kind": "status-bar", "controllers": {"name": "root"}, "events": [{"at": 1, "present": {"name": "b"}, "by": "rot"}]}"#,
        "events[0].present: names rot, which is no controller then (did you mean root?); there are root"
      ),
      (
        #"{"kind": "status-bar", "controllers": {"name": "a", "stack": [{"name": "b"}]}, "events": [{"at": 1, "pop": "a"}]}"#,
        "events[0].pop: names a, which has only one controller left"
      ),
      (
        #"{"kind": "status-bar", "controllers": {"name": "a"}, "events": [{"at": 1, "push": {"name": "b"}, "onto": "a"}]}"#,
        #"events[0].push: names a, which has no "stack""#
      ),
      (
        #"{"kind": "status-bar", "controllers": {"name": "a", "presents": {"name": "a"}}}"#,
        #"layers[0].controllers: has the name "a" twice"#
      ),
      (
        #"{"kind": "status-bar", "controllers": {"name": "a"}, "events": [{"at": 1, "dismiss": "a"}]}"#,
        "events[0].dismiss: names a, which is not presented"
      ),
      (
        #"{"kind": "status-bar", "controllers": {"name": "a"}, "events": [{"at": 1, "hidden": true}]}"#,
        "events[0].hidden: is up to the controllers"
      ),
    ])
  func mistakesInItems(_ json: String, _ part: String) {
    #expect(layerMessage(json).contains(part), "\(layerMessage(json))")
  }

  @Test func ofTwoAppearancesOneCounts() throws {
    let json = """
      {"canvas": {"width": 9, "height": 9, "background": {"light": "white", "dark": "black"}},
       "layers": [{"fill": {"dark": "navy", "light": "#ff0000"}}]}
      """
    for (appearance, background, fill) in [
      (nil, Color.white, Color(red: 1, green: 0, blue: 0)),
      (.light, .white, Color(red: 1, green: 0, blue: 0)),
      (.dark, .black, Color(red: 0, green: 0, blue: 128.0 / 255)),
    ] as [(FilterChain.Appearance?, Color, Color)] {
      let document = try SceneDocument(json: json, appearance: appearance)
      #expect(document.canvas.background == background)
      guard case .item(let item) = document.layers[0] else { continue }
      #expect(item.content == .fill(.color(fill)))
    }
    let dark = json.replacing("{\"canvas\"", with: "{\"appearance\": \"dark\", \"canvas\"")
    #expect(try read(dark).canvas.background == .black)
    #expect(try SceneDocument(json: dark, appearance: .light).canvas.background == .white)
    #expect(
      message("{\"appearance\": \"drak\", \"canvas\": {}}")
        == "1:16: appearance: must be light, dark, not \"drak\" (did you mean dark?)")
  }

  /// Work for untrusted documents is limited: items that depend on each other, keyframes of all items, rows, numbers
  /// of a value, and the total length of texts.
  @Test func whatWouldTakeForeverIsRefused() {
    func error(_ text: String) -> String {
      let found = #expect(throws: DocumentError.self) { try SceneDocument(json: text) }
      return found.map { "\($0)" } ?? ""
    }
    func scene(_ more: String) -> String {
      #"{"canvas": {"width": 9, "height": 9}, "duration": 3600, \#(more)}"#
    }
    func bar(_ items: [String]) -> String {
      scene(
        #""layers": [{"kind": "bar", "min": 9, "max": 9, "items": [\#(items.joined(separator: ","))]}]"#
      )
    }
    let chain = (0..<600).map { place in
      let left = place < 599 ? "\"i\(place + 1).left\"" : "0"
      return "{\"id\": \"i\(place)\", \"fill\": \"red\", \"left\": \(left), \"width\": 5, "
        + "\"top\": 0, \"height\": 5}"
    }
    #expect(error(bar(chain)).contains("in a chain of more than 300"))
    #expect(throws: Never.self) { try SceneDocument(json: bar(Array(chain.suffix(200)))) }
    func moving(_ id: String, _ when: String) -> String {
      let keys = (0..<1500).map { #"{"\#(when)": \#(Double($0) / 1500), "frame": [0, 0, 1, 1]}"# }
      return #"{"id": "\#(id)", "fill": "red", "keyframes": [\#(keys.joined(separator: ","))]}"#
    }
    #expect(error(bar([moving("a", "progress"), moving("b", "at")])).contains("2000000 at most"))
    let section =
      #"{"count": 1000, "height": 1, "items": [{"fill": "red", "frame": [0, 0, 1, 1]}]}"#
    let rows = [String](repeating: section, count: 21).joined(separator: ",")
    #expect(
      error(scene(#""content": {"rows": [\#(rows)]}, "layers": []"#)).contains("more than 20000"))
    let points = (0...10_000).map { "[\($0), \($0 % 7)]" }.joined(separator: ",")
    #expect(error(scene(#""values": {"a": [\#(points)]}, "layers": []"#)).contains("10000 at most"))
    let texts = (0..<30).map { #"{"text": "{a} \#($0)", "frame": [0, 0, 1, 1]}"# }
    let many =
      #""values": {"a": [[0, 0], [3600, 500]]}, "layers": [\#(texts.joined(separator: ","))]"#
    #expect(error(scene(many)).contains("more than 10000"))
  }

  @Test func valuesAreChecked() {
    func shown(_ values: String, _ text: String, _ more: String = "") -> String {
      message(
        """
        {"canvas": {"width": 9, "height": 9}, "duration": 2, "values": \(values)\(more),
        "layers": [{"text": "\(text)"}]}
        """)
    }
    #expect(shown(#"{"left": 3}"#, "{left m:ss} {row} { left } {}") == "no error")
    #expect(
      shown(#"{"left": 3}"#, "{lft m:ss}")
        == "2:21: layers[0].text: has {lft}, which is no value (did you mean left?); values are left, time"
    )
    #expect(shown("{}", "{lft m:ss}") == "no error")
    #expect(shown(#"{"left": 3}"#, "{time} {time m:ss}") == "no error")
    #expect(shown(#"{"left": 3}"#, "{left ss:m}").contains("has the format"))
    #expect(shown(#"{"left": [[1, 2], [0, 3]]}"#, "").contains("left[1]: is at 0.0 s, before"))
    #expect(shown(#"{"left": []}"#, "").contains("must be a number, or [[time, number], …]"))
    #expect(shown(#"{"a b": 1}"#, "").contains("values.a b: is no name for a value"))
    #expect(
      message(
        #"{"canvas": {"width": 9, "height": 9}, "duration": 3000, "layers": [{"text": "{time 0}"}]}"#
      ).contains("becomes more than 1000 texts"))
    let content = #", "content": {"height": 9, "items": [{"text": "{left 0}"}]}"#
    #expect(shown(#"{"left": 3}"#, "", content).contains("content is made once"))
  }

  @Test func behaviorsHaveTheirNumbers() throws {
    let json = """
      {"kind": "bar", "min": 20, "max": 105, "snap": [[0, 0.5, 0], [0.5, 1, 1]],
       "behavior": {"kind": "reveal", "thresholdNegative": 140}}
      """
    guard case .bar(let bar) = try layer(json) else {
      Issue.record("not a bar")
      return
    }
    #expect((bar.behavior as? RevealBehavior)?.thresholdNegative == 140)
    #expect(bar.snapping.target(for: 0.3) == 0)
    #expect(bar.snapping.target(for: 0.5) == 1)
    guard case .bar(let plain) = try layer("{\"kind\": \"bar\", \"behavior\": \"velocity\"}") else {
      Issue.record("not a bar")
      return
    }
    #expect(plain.behavior is VelocityBehavior)
    #expect(plain.bar.minimumHeight == 20 && plain.bar.maximumHeight == 44)
  }

  @Test func gesturesAndEventsAreInOrder() throws {
    let document = try read(
      """
      {"canvas": {"width": 100, "height": 200}, "duration": 4,
       "content": {"height": 900, "topInset": 20, "rows":
         {"count": 3, "height": 50, "items": [{"text": "Row {row}"}]}},
       "scroll": {"offset": 30, "deceleration": "fast", "gestures": [
         {"at": 0.5, "drag": 200, "duration": 0.2, "velocity": 900},
         {"at": 2, "tapToTop": true}, {"at": 3, "scrollTo": 100, "duration": 0}]},
       "layers": [{"kind": "status-bar", "style": "auto", "events": [
         {"at": 2, "activity": "call"},
         {"at": 1, "orientation": "landscapeLeft", "hidden": true}]},
         {"kind": "backdrop", "frame": [0, 20, 100, 50], "live": 0.2, "events": [
           {"at": 1, "shown": true}, {"at": 3, "shown": false, "live": false}]}]}
      """)
    #expect(document.scroll.script.steps.count == 3)
    #expect(document.scroll.physics.decelerationRate == .fast)
    guard case .statusBar(let bar) = document.layers[0],
      case .backdrop(let view) = document.layers[1]
    else {
      Issue.record("other layers")
      return
    }
    #expect(bar.events.map(\.time) == [1, 1, 2])
    #expect(view.interval == 0.2)
    #expect(view.events.map(\.event) == [.slideDown, .slideUp, .becomeStatic])
  }

  @Test func mistakesSayWhereTheyAre() {
    #expect(message("{") == "1:2: a name in quotes was expected, but the text ends")
    #expect(message("{}") == "1:1: has no \"canvas\"")
    #expect(
      message("{\"canvas\": {\"width\": 100, \"heigth\": 2, \"height\": 200}}")
        == "1:27: canvas: there is no \"heigth\" here (did you mean height?); known are width, "
        + "height, scale, background")
    #expect(
      layerMessage("{\"kind\": \"status_bar\"}")
        == "2:10: layers[0].kind: must be item, bar, status-bar, backdrop, not \"status_bar\" (did "
        + "you mean status-bar?)")
    #expect(
      layerMessage("{\"fill\": \"nocolor\"}").hasPrefix(
        "2:10: layers[0].fill: must be a CSS color such as"))
    #expect(
      layerMessage("{\"text\": \"a\", \"fill\": \"red\"}")
        == "2:1: layers[0]: has \"text\" and \"fill\"; one of them is too much")
    #expect(layerMessage("{\"id\": \"x\"}").contains("to show"))
    #expect(
      layerMessage("{\"fill\": \"red\", \"frame\": [0, 0, 5]}").contains("[x, y, width, height]"))
    #expect(
      layerMessage("{\"fill\": \"red\", \"left\": \"bar.rigth\"}")
        .contains("did you mean right?"))
    #expect(
      layerMessage("{\"fill\": \"red\", \"frame\": [0,0,1,1], \"top\": 3}").contains("too much"))
    #expect(layerMessage("{\"material\": \"blurr(3px)\"}").contains("layers[0].material: "))
    #expect(layerMessage("{\"fill\": \"red\", \"vibrancy\": \"none\"}").contains("not for a fill"))
  }

  @Test func wrongNumbersOfNumbersAreCounted() {
    #expect(
      layerMessage("{\"fill\": \"red\", \"frame\": [0, 0, 5]}")
        == "2:26: layers[0].frame: must be [x, y, width, height], not an array of 3")
    #expect(
      layerMessage("{\"fill\": \"red\", \"frame\": 5}")
        == "2:26: layers[0].frame: must be [x, y, width, height], not 5.0")
  }

  @Test func namesThatAreNearlyRightAreOffered() {
    let gesture = """
      {"canvas": {"width": 9, "height": 9}, "content": {"height": 100}, "scroll": {"gestures": [
       {"at": 0, "drg": 5}]}}
      """
    #expect(
      message(gesture) == "2:12: scroll.gestures[0]: there is no \"drg\" here (did you mean drag?)")
    #expect(
      message(gesture.replacing("drg", with: "wipe"))
        == "2:2: scroll.gestures[0]: has no \"drag\", \"tapToTop\" or \"scrollTo\"")
    #expect(
      message(gesture.replacing("\"at\"", with: "\"att\"")).contains("(did you mean at?)"))
    #expect(layerMessage("{\"txt\": \"a\"}").contains("(did you mean text?)"))
    #expect(
      layerMessage("{\"fill\": \"whte\"}").hasSuffix("not \"whte\" (did you mean white?)"))
    #expect(
      layerMessage(
        "{\"kind\": \"backdrop\", \"frame\": [0,0,1,1], \"events\": [{\"at\": 1}]}"
      ).hasSuffix("has no \"shown\", \"live\", \"hidden\" or \"frame\""))
  }

  /// Some editors begin a file with a mark of the byte order.
  @Test func aMarkOfTheByteOrderDoesNotMatter() throws {
    let document = try read("\u{FEFF}{\"canvas\": {\"width\": 9, \"height\": 9}}")
    #expect(document.canvas.size.width == 9)
  }

  @Test func whatScrollsNothingIsRefused() {
    #expect(
      message("{\"canvas\": {\"width\": 9, \"height\": 9}, \"scroll\": {\"offset\": 3}}")
        == "1:49: scroll: scrolls content, and there is none")
  }

  @Test func modelsMistakesSayWhereTheyAre() {
    let overlap = layerMessage(
      "{\"kind\": \"bar\", \"snap\": [[0, 0.6, 0], [0.5, 1, 1]]}")
    #expect(overlap.hasPrefix("2:25: layers[0].snap: "))
    #expect(overlap.contains("0.5") && overlap.contains("0.6"))
    let circle = layerMessage(
      """
      {"kind": "bar", "items": [{"id": "a", "fill": "red", "left": "b.right", "width": 5},
        {"id": "b", "fill": "red", "left": "a.right", "width": 5}]}
      """)
    #expect(
      circle.hasPrefix("3:38: layers[0].items[1].left: values refer to each other"), "\(circle)")
    let many = layerMessage(
      "{\"kind\": \"bar\", \"items\": [{\"id\": \"a\", \"fill\": \"red\", \"left\": 0, \"right\": 3, \"width\": 5}]}"
    )
    #expect(many.hasPrefix("2:27: layers[0].items[0]: item 'a': too many"), "\(many)")
    #expect(layerMessage("{\"kind\": \"bar\", \"min\": 90, \"max\": 20}").contains("min"))
    #expect(layerMessage("{\"kind\": \"status-bar\", \"metrics\": \"iphone\"}").contains("metrics"))
    let drags = """
      {"canvas": {"width": 9, "height": 9}, "content": {"height": 100}, "scroll": {"gestures": [
       {"at": 0, "drag": 5, "duration": 2}, {"at": 1, "tapToTop": true}]}}
      """
    #expect(message(drags).contains("scroll.gestures: "))
  }
}
