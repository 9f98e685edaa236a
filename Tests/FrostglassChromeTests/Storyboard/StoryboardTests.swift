import FrostglassChrome
import FrostglassCore
import Testing

/// What a document comes to as layers, moment by moment.
@Suite struct StoryboardTests {
  private func storyboard(
    _ json: String, pictures: (Asset) -> Size = { _ in Size(width: 10, height: 10) }
  ) throws -> Storyboard {
    var storyboard = try Storyboard(try SceneDocument(json: json))
    try storyboard.begin(
      storyboard.assets.map { asset in
        let isGray: Bool =
          switch asset {
          case .text, .mask, .symbol: true
          case .picture, .content, .gradient: false
          }
        return Plan.Input(
          size: pictures(asset), format: isGray ? .gray8 : .rgb8, alpha: .opaque,
          transfer: .encoded)
      })
    return storyboard
  }

  private func advanced(
    _ storyboard: Storyboard, to time: Double, luminance: Double = 0.5
  ) async throws -> Storyboard {
    var later = storyboard
    try await later.advance(to: time) { _, _ in try BackdropLuminance(mean: luminance) }
    return later
  }

  private func layer(_ id: String, _ scene: Scene) throws -> Layer {
    try #require(scene.layers.first { $0.id == id }, "\(scene.layers.map(\.id))")
  }

  private let scrolling = """
    {"canvas": {"width": 100, "height": 200, "scale": 2},
     "content": {"height": 1000, "topInset": 80},
     "scroll": {"gestures": [{"at": 0.05, "scrollTo": -40, "duration": 0}]},
     "layers": [{"kind": "bar", "id": "bar", "min": 20, "max": 80, "color": "red",
       "behavior": "scroll-away", "items": [
         {"id": "a", "fill": "blue", "frame": [0, 0, 10, 10],
          "keyframes": [{"progress": 0, "left": 0, "width": 10},
            {"progress": 1, "left": 30, "width": 10}]}]}]}
    """

  @Test func barsFollowTheContent() async throws {
    var board = try storyboard(scrolling) { _ in Size(width: 200, height: 2000) }
    // At its top, the content begins below the bar.
    #expect(
      try layer("content", board.scene).content
        == .picture(PlacedPicture(0, transform: .translation(x: 0, y: 160))))
    #expect(
      try layer("bar/surface", board.scene).clips.first?.rect
        == LayoutRect(x: 0, y: 0, width: 200, height: 160))
    board = try await advanced(board, to: 0.1)
    // Scrolled by 40 of a range of 60 points: progress 2/3, height 40, the item at 20.
    #expect(
      try layer("content", board.scene).content
        == .picture(PlacedPicture(0, transform: .translation(x: 0, y: 80))))
    #expect(try layer("bar/surface", board.scene).clips.first?.rect.height == 80)
    #expect(try layer("bar/a", board.scene).clips.first?.rect.x == 40)
    let trace = Dictionary(uniqueKeysWithValues: board.trace.map { ($0.column, $0.value) })
    #expect(trace["bar.progress"] == "0.667")
    #expect(trace["bar.height"] == "40")
    #expect(trace["bar/a.x"] == "20")
    #expect(trace["offset"] == "-40")
  }

  @Test func howOftenOneLooksMakesNoDifference() async throws {
    let json = """
      {"canvas": {"width": 100, "height": 200},
       "content": {"height": 3000},
       "scroll": {"gestures": [{"at": 0.1, "drag": 150, "duration": 0.2, "velocity": 1500}]},
       "layers": [{"kind": "bar", "id": "bar", "min": 20, "max": 80, "color": "red",
         "behavior": "velocity", "snap": [[0, 0.5, 0], [0.5, 1, 1]]},
         {"kind": "backdrop", "id": "view", "frame": [0, 30, 100, 60], "live": 0.3,
          "events": [{"at": 0.2, "shown": true}, {"at": 1, "shown": false}]}]}
      """
    let start = try storyboard(json) { _ in Size(width: 100, height: 3000) }
    let once = try await advanced(start, to: 1.05)
    var often = start
    for step in 0...63 { often = try await advanced(often, to: Double(step) / 60) }
    #expect(once.scene == often.scene)
    #expect(once.trace.map(\.value) == often.trace.map(\.value))
  }

  @Test func staticViewsShowWhatTheyCaptured() async throws {
    let json = """
      {"canvas": {"width": 100, "height": 200},
       "content": {"height": 1000},
       "scroll": {"gestures": [{"at": 1, "scrollTo": 300, "duration": 0}]},
       "layers": [{"kind": "backdrop", "id": "view", "frame": [0, 30, 100, 60],
         "material": "blur(4px)", "color": "rgba(255, 255, 255, 0.5)",
         "events": [{"at": 0.2, "shown": true}, {"at": 1.5, "live": true}]}]}
      """
    var board = try storyboard(json) { _ in Size(width: 100, height: 1000) }
    #expect(board.scene.layers.map(\.id) == ["content"])
    func capture(_ board: Storyboard) throws -> [Layer] {
      guard
        case .backdrop(let chain, .captured(let captured)) =
          try layer("view/surface", board.scene).content
      else {
        Issue.record("no capture")
        return []
      }
      #expect(
        chain.text == "blur(radius=4px) tint(alpha=1, color=rgba(255, 255, 255, 0.5))"
          || chain.filters.count == 2)
      return captured.layers
    }
    board = try await advanced(board, to: 0.9)
    let before = try capture(board)
    #expect(before.map(\.id) == ["content"])
    #expect(
      try layer("view/surface", board.scene).clips.first?.rect
        == LayoutRect(x: 0, y: 30, width: 100, height: 60))
    board = try await advanced(board, to: 1.3)
    #expect(try capture(board) == before)
    #expect(try layer("content", board.scene) != before.first)
    board = try await advanced(board, to: 1.6)
    #expect(try capture(board).first == layer("content", board.scene))
  }

  @Test func staticViewsComeWithWhatIsBehindThemThen() async throws {
    let json = """
      {"canvas": {"width": 100, "height": 200},
       "content": {"height": 1000},
       "scroll": {"gestures": [{"at": 0.2, "scrollTo": 300, "duration": 0}]},
       "layers": [{"kind": "backdrop", "id": "view", "frame": [0, 30, 100, 60],
         "arrival": "grow", "events": [{"at": 1, "shown": true}]}]}
      """
    let board = try await advanced(
      storyboard(json) { _ in Size(width: 100, height: 1000) }, to: 1.1)
    guard
      case .backdrop(_, .captured(let captured)) = try layer("view/surface", board.scene).content
    else {
      Issue.record("no capture")
      return
    }
    #expect(
      captured.layers.first?.content
        == .picture(PlacedPicture(0, transform: .translation(x: 0, y: -300))))
  }

  @Test func groupsLookBehindTheLowest() async throws {
    let view = """
      "kind": "backdrop", "live": true, "arrival": "fixed", "group": "g"
      """
    let json = """
      {"canvas": {"width": 100, "height": 200}, "layers": [
        {"fill": "red"}, {\(view), "id": "a", "frame": [0, 0, 50, 50]},
        {"fill": "blue", "id": "between"}, {\(view), "id": "b", "frame": [10, 10, 50, 50]}]}
      """
    let board = try await advanced(storyboard(json), to: 0.1)
    func captured(_ id: String) throws -> [String] {
      guard case .backdrop(_, .captured(let captured)) = try layer(id, board.scene).content else {
        return []
      }
      return captured.layers.map(\.id)
    }
    #expect(try captured("a/surface") == ["canvas/layer-0"])
    #expect(try captured("b/surface") == ["canvas/layer-0"])
  }

  @Test func statusBarsChooseTheirColor() async throws {
    let json = """
      {"canvas": {"width": 100, "height": 200}, "layers": [
        {"kind": "status-bar", "id": "status", "style": "auto", "items": [
          {"id": "time", "fill": "content", "frame": [5, 5, 10, 10]}],
         "events": [{"at": 2, "activity": "call"}]}]}
      """
    let board = try storyboard(json)
    let dark = try await advanced(board, to: 0.5, luminance: 0.01)
    #expect(try layer("status/time", dark.scene).content == .color(.white))
    let light = try await advanced(board, to: 0.5, luminance: 0.9)
    #expect(try layer("status/time", light.scene).content == .color(.black))
    let trace = Dictionary(uniqueKeysWithValues: dark.trace.map { ($0.column, $0.value) })
    #expect(trace["status.style"] == "light")
    // 1.05 / 0.06.
    #expect(trace["status.contrast"] == "17.5")
    let call = try await advanced(board, to: 3, luminance: 0.9)
    #expect(call.trace.contains { $0.column == "status.height" && $0.value == "40" })
  }

  /// On a backdrop that is half dark and half bright, something lies below the content.
  @Test func contentThatCouldNotBeReadGetsAVeil() async throws {
    let json = """
      {"canvas": {"width": 100, "height": 200}, "layers": [
        {"kind": "status-bar", "id": "status", "style": "auto", "items": [
          {"id": "time", "fill": "content", "frame": [5, 5, 10, 10]}]}]}
      """
    var board = try storyboard(json)
    try await board.advance(to: 0) { _, _ in try BackdropLuminance(cells: [0.001, 0.7]) }
    let veil = try layer("status/veil", board.scene)
    #expect(
      try veil.content == .color(.white)
        && layer("status/time", board.scene).content == .color(.black))
    let trace = Dictionary(uniqueKeysWithValues: board.trace.map { ($0.column, $0.value) })
    let worst = try #require(trace["status.worstContrast"].flatMap { Double($0) })
    #expect(worst > 4.49)
    #expect(trace["status.veil"] == "\((veil.opacity * 1000).rounded() / 1000)")
    // Once the backdrop turns, so do both, in one moment.
    try await board.advance(to: 0.1) { _, _ in try BackdropLuminance(cells: [0.0, 0.2]) }
    #expect(try layer("status/time", board.scene).content == .color(.white))
    #expect(try layer("status/veil", board.scene).content == .color(.black))
    try await board.advance(to: 1) { _, _ in try BackdropLuminance(mean: 0.01) }
    #expect(!board.scene.layers.contains { $0.id == "status/veil" })
  }

  @Test func statusBarsChangeTheirColorAndCutOff() async throws {
    let json = """
      {"canvas": {"width": 100, "height": 200}, "layers": [
        {"kind": "status-bar", "id": "status", "clips": true, "items": [
          {"id": "hint", "fill": "black", "frame": [0, 20, 10, 10]}],
         "events": [{"at": 1, "activity": "call", "color": "green"}]}]}
      """
    let board = try storyboard(json)
    #expect(!board.scene.layers.contains { $0.id == "status/surface" })
    #expect(
      try layer("status/hint", board.scene).clips.last?.rect
        == LayoutRect(x: 0, y: 0, width: 100, height: 20))
    let halfway = try await advanced(board, to: 1.25)
    #expect(
      try layer("status/surface", halfway.scene).content
        == .color(Color(red: 0, green: 128.0 / 255, blue: 0, alpha: 0.5)))
    let call = try await advanced(board, to: 2)
    #expect(
      try layer("status/surface", call.scene).content
        == .color(Color(red: 0, green: 128.0 / 255, blue: 0)))
  }

  @Test func textsRunWithTheirValues() async throws {
    let json = """
      {"canvas": {"width": 100, "height": 200}, "duration": 3,
       "values": {"played": [[1, 58], [3, 60]]},
       "layers": [{"id": "label", "text": "{played m:ss}", "frame": [0, 0, 50, 20]},
         {"id": "other", "text": "{played m:ss}", "frame": [0, 20, 50, 20]}]}
      """
    let board = try storyboard(json)
    let texts = board.assets.map { asset in
      if case .text(let text, _, _, _, _) = asset { text } else { "?" }
    }
    #expect(texts == ["0:58", "0:59", "1:00"])
    for (time, text) in [(0, 0), (1.9, 0), (2, 1), (2.99, 1), (3, 2), (9, 2)] as [(Double, Int)] {
      let later = try await advanced(board, to: time)
      #expect(try layer("canvas/label", later.scene).mask?.picture == text, "\(time)")
    }
  }

  @Test(
    arguments: [
      ("m:ss", 67.9, "1:07"), ("mm:ss", 67, "01:07"), ("h:mm:ss", 3671, "1:01:11"),
      ("h:mm", 34_860, "9:41"), ("s", 59.99, "59"), ("m:ss", -5.5, "−0:05"), ("m:ss", -0.2, "0:00"),
      ("0", 2.5, "3"), ("0.0", -2.25, "−2.3"), ("0.00", 1, "1.00"), ("0", -0.2, "0"),
      ("m:ss", 4199.9999999, "70:00"),
    ])
  func numbersAreWritten(_ format: String, _ value: Double, _ text: String) throws {
    let json = """
      {"canvas": {"width": 100, "height": 200}, "values": {"v": \(value)},
       "layers": [{"text": "<{v \(format)}>", "frame": [0, 0, 50, 20]}]}
      """
    guard case .text(let shown, _, _, _, _)? = try storyboard(json).assets.first else {
      Issue.record("no text")
      return
    }
    #expect(shown == "<\(text)>")
  }

  @Test func itemsMoveAtTheirTimes() async throws {
    let json = """
      {"canvas": {"width": 100, "height": 200}, "duration": 3, "layers": [
        {"id": "dot", "fill": "red", "left": 0, "width": 10, "keyframes": [
          {"at": 1}, {"at": 2, "left": 50, "width": 20, "alpha": 0.5}]},
        {"kind": "backdrop", "id": "view", "frame": [10, 0, 50, 50], "arrival": "fixed", "items": [
          {"id": "bar", "fill": "red", "left": 0, "width": "bar.width * 0.5", "keyframes": [
            {"at": 0}, {"at": 2, "left": 0, "width": "bar.width"}]}]}]}
      """
    let board = try storyboard(json)
    for (time, left, width) in [(0.5, 0, 10), (1.5, 25, 15), (2, 50, 20), (3, 50, 20)] {
      let later = try await advanced(board, to: time)
      let rect = try #require(layer("canvas/dot", later.scene).clips.first).rect
      #expect(rect.x == Double(left) && rect.width == Double(width), "\(time): \(rect)")
    }
    let later = try await advanced(board, to: 1)
    #expect(try layer("view/bar", later.scene).clips.first?.rect.width == 38)
    #expect(later.trace.contains { $0.column == "view/bar.width" && $0.value == "37.5" })
  }

  @Test func shapesHaveBordersShadowsAndSoftEdges() throws {
    let json = """
      {"canvas": {"width": 100, "height": 200, "scale": 2}, "layers": [
        {"id": "card", "gradient": ["red", "blue"], "frame": [10, 10, 40, 20], "cornerRadius": 6,
         "border": {"width": 1, "color": "white"}, "shadow": {"blur": 10, "y": 4}},
        {"kind": "backdrop", "id": "view", "frame": [0, 0, 100, 50], "arrival": "fixed", "fade": 10,
         "shadow": {}, "items": [{"id": "inner", "fill": "red"}]}]}
      """
    let board = try storyboard(json)
    let ids = board.scene.layers.map(\.id)
    #expect(
      ids == [
        "canvas/card/shadow", "canvas/card", "canvas/card/border", "view/shadow", "view/surface",
        "view/inner",
      ])
    #expect(
      board.assets == [
        .gradient(
          [Color(red: 1, green: 0, blue: 0), Color(red: 0, green: 0, blue: 1)], angle: 180,
          Size(width: 80, height: 40))
      ])
    let border = try layer("canvas/card/border", board.scene).clips
    #expect(border.map(\.isHole) == [false, true] && border[1].cornerRadius == 10)
    #expect(border[1].rect == LayoutRect(x: 22, y: 22, width: 76, height: 36))
    let shadow = try layer("canvas/card/shadow", board.scene).clips
    #expect(shadow.map(\.isHole) == [false, true])
    // A standard deviation of 5 points are 10 pixels.
    #expect(abs(shadow[0].feather - 10 * 20.0.squareRoot()) < 1e-9)
    #expect(shadow[0].grow == -shadow[0].feather / 2 && shadow[0].transform.ty == 8)
    for id in ["view/surface", "view/inner"] {
      let soft = try #require(layer(id, board.scene).clips.last)
      #expect(soft.feather == 20 && soft.rect.maxY == 80, "\(id)")
    }
  }

  @Test func assetsAreListedOnceAndAsLargeAsTheyGet() throws {
    let json = """
      {"canvas": {"width": 100, "height": 200, "scale": 2}, "layers": [
        {"kind": "bar", "min": 20, "max": 80, "items": [
          {"image": "a.png", "frame": [0, 0, 10, 10],
           "keyframes": [{"progress": 0}, {"progress": 1, "frame": [0, 0, 30, 20]}]},
          {"text": "x", "size": 10, "frame": [0, 0, 9, 9]},
          {"text": "x", "size": 10, "color": "red", "frame": [0, 0, 9, 9]},
          {"image": "b.png", "vibrancy": "vibrancy(label, light)", "fit": "contain",
           "frame": [0, 0, 5, 5]}]}]}
      """
    #expect(
      try storyboard(json).assets == [
        .picture(path: "a.png", .frame(Size(width: 60, height: 40), .cover)),
        .text("x", font: "Inter", size: 20, .left, wrapWidth: nil),
        .mask(path: "b.png", .frame(Size(width: 10, height: 10), .contain)),
      ])
  }

  /// What happens at a tenth of a second happens in the moment at that time: all of them are moments.
  @Test func whatIsScheduledHappensInItsMoment() async throws {
    for tenths in 1...399 {
      let at = "\(tenths / 10).\(tenths % 10)"
      let board = try storyboard(
        """
        {"canvas": {"width": 10, "height": 10}, "duration": 40, "layers": [
          {"kind": "backdrop", "id": "view", "frame": [0, 0, 10, 10], "arrival": "fixed",
           "events": [{"at": \(at), "hidden": true}]}]}
        """)
      let time = try #require(Double(at))
      let (before, then) = (
        try await advanced(board, to: time - 0.001).scene, try await advanced(board, to: time).scene
      )
      #expect(before.layers.contains { $0.id == "view/surface" }, "before \(at)")
      #expect(!then.layers.contains { $0.id == "view/surface" }, "at \(at)")
    }
  }

  /// A picture for a frame of a million points is enlarged where it shows, and not made as large.
  @Test func picturesOfHugeFramesAreNotMadeAsLarge() throws {
    let board = try storyboard(
      """
      {"canvas": {"width": 100, "height": 200}, "layers": [
        {"kind": "backdrop", "id": "view", "frame": [0, 0, 100, 1000000], "arrival": "fixed",
         "mask": "mask.png"},
        {"id": "picture", "image": "a.png", "fit": "stretch", "frame": [0, 0, 50, 20000]}]}
      """,
      pictures: { asset in
        switch asset {
        case .picture(_, .frame(let size, _)), .mask(_, .frame(let size, _)): size
        default: Size(width: 1, height: 1)
        }
      })
    #expect(
      board.assets == [
        .mask(path: "mask.png", .frame(Size(width: 100, height: 8192), .stretch)),
        .picture(path: "a.png", .frame(Size(width: 50, height: 8192), .stretch)),
      ])
    let mask = try #require(try layer("view/surface", board.scene).mask)
    #expect(mask.transform.a == 1 && abs(mask.transform.d - 1_000_000 / 8192) < 1e-9)
  }

  @Test func rowsAreNumberedAndBelowEachOther() throws {
    let json = """
      {"canvas": {"width": 100, "height": 200},
       "content": {"rows": {"count": 3, "height": 50, "top": 10, "items": [
         {"id": "name", "text": "Row {row}", "frame": [4, 8, 50, 20]},
         {"id": "line", "fill": "gray", "left": 0, "right": "bar.right", "bottom": "bar.bottom",
          "height": 1}]}}}
      """
    let board = try storyboard(json)
    let sheet = try #require(board.sheet)
    #expect(sheet.assets.count == 3)
    let inputs = sheet.assets.map { _ in
      Plan.Input(
        size: Size(width: 30, height: 20), format: .gray8, alpha: .opaque, transfer: .encoded)
    }
    let scene = try sheet.scene(inputs)
    #expect(scene.size == Size(width: 100, height: 160))
    #expect(
      try layer("row 2/name", scene).mask
        == PlacedPicture(1, transform: .translation(x: 4, y: 68)))
    #expect(try layer("row 3/line", scene).clips.first?.rect.maxY == 160)
  }
}
