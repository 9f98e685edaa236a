import FrostglassScenes
import FrostglassCore
import TestSupport
import Testing

/// The layers of a document, moment by moment.
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
        == .picture(PlacedImage(0, transform: .translation(x: 0, y: 160))))
    #expect(
      try layer("bar/surface", board.scene).clips.first?.rect
        == LayoutRect(x: 0, y: 0, width: 200, height: 160))
    board = try await advanced(board, to: 0.1)
    // Scrolled by 40 of a range of 60 points: progress 2/3, height 40, the item at 20.
    #expect(
      try layer("content", board.scene).content
        == .picture(PlacedImage(0, transform: .translation(x: 0, y: 80))))
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
        == .picture(PlacedImage(0, transform: .translation(x: 0, y: -300))))
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

  /// Texts are those of all moments, in order: what is looked for between two that differ alone is all there is.
  @Test(arguments: 0..<20) func textsAreThoseOfEachMoment(_ seed: Int) throws {
    var random = SplitMix(state: UInt64(seed))
    var time = 0.0
    let points = (0..<8).map { _ -> (Double, Double) in
      time += Double.random(in: 0...0.6, using: &random)
      return (time, Double.random(in: -9...9, using: &random))
    }
    let listed = points.map { "[\($0.0), \($0.1)]" }.joined(separator: ",")
    let json = """
      {"canvas": {"width": 100, "height": 200}, "duration": 4, "values": {"v": [\(listed)]},
       "layers": [{"text": "{v}", "frame": [0, 0, 50, 20]}]}
      """
    let texts = try storyboard(json).assets.map { asset in
      if case .text(let text, _, _, _, _) = asset { text } else { "?" }
    }
    var expected: [String] = []
    for moment in 0...480 {
      let now = Double(moment) / 120
      let after = points.firstIndex { $0.0 > now }
      let value: Double
      switch after {
      case nil: value = points[7].1
      case 0?: value = points[0].1
      case let next?:
        let (low, high) = (points[next - 1], points[next])
        value = low.1 + (high.1 - low.1) * (now - low.0) / (high.0 - low.0)
      }
      let whole = Int(abs(value).rounded())
      let text = value < 0 && whole > 0 ? "−\(whole)" : "\(whole)"
      if !expected.contains(text) { expected.append(text) }
    }
    #expect(texts == expected)
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
         "shadow": {}, "border": {"color": "white"}, "items": [{"id": "inner", "fill": "red"}]}]}
      """
    let board = try storyboard(json)
    let ids = board.scene.layers.map(\.id)
    #expect(
      ids == [
        "canvas/card/shadow", "canvas/card", "canvas/card/border", "view/shadow", "view/surface",
        "view/border", "view/inner",
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
    #expect(shadow[0].grow == -shadow[0].feather / 2 && shadow[0].rect.y == 28)
    for id in ["view/surface", "view/border", "view/inner"] {
      let soft = try #require(layer(id, board.scene).clips.last)
      #expect(soft.feather == 20 && soft.rect.maxY == 80, "\(id)")
    }
  }

  @Test func bordersCanBeHairlinesAlongSomeEdges() throws {
    for scale in [1.0, 3] {
      let board = try storyboard(
        """
        {"canvas": {"width": 100, "height": 200, "scale": \(scale)}, "layers": [
          {"kind": "bar", "id": "bar", "min": 40, "max": 40, "color": "white",
           "border": {"width": "hairline", "edges": ["bottom"], "color": "gray"}}]}
        """)
      let clips = try layer("bar/border", board.scene).clips
      // One pixel is left along the lower edge, and nothing along the others.
      #expect(clips.count == 2 && clips[1].isHole && clips[1].rect.maxY == 40 * scale - 1)
      #expect(clips[1].rect.x < 0 && clips[1].rect.y < 0 && clips[1].rect.maxX > 100 * scale)
    }
  }

  @Test func groupsAreLaidOutInTheirFrameAndFadeAsOne() async throws {
    let json = """
      {"canvas": {"width": 100, "height": 200, "scale": 2}, "duration": 2, "layers": [
        {"kind": "bar", "id": "bar", "min": 50, "max": 50, "items": [
          {"id": "card", "frame": [10, 10, 40, 20], "clips": true, "alpha": 0.5, "items": [
            {"id": "ground", "fill": "red"},
            {"id": "inner", "frame": [30, 5, 20, 10], "items": [
              {"id": "dot", "fill": "blue", "right": "bar.right", "width": 5, "top": 0, "height": 5,
               "keyframes": [{"at": 0}, {"at": 1, "alpha": 0.5}]}]}]}]}]}
      """
    let board = try await advanced(storyboard(json), to: 1)
    #expect(board.scene.layers.map(\.id) == ["bar/card/group"])
    let group = try layer("bar/card/group", board.scene)
    guard case .group(let layers) = group.content else {
      Issue.record("no group")
      return
    }
    #expect(group.opacity == 0.5 && layers.map(\.id) == ["bar/card/ground", "bar/card/inner/dot"])
    #expect(layers[0].opacity == 1 && layers[1].opacity == 0.5)
    #expect(layers[0].clips[0].rect == LayoutRect(x: 20, y: 20, width: 80, height: 40))
    // At 10 + 30 + 20 − 5 points, cut off by the card, not by the group in it.
    #expect(layers[1].clips[0].rect == LayoutRect(x: 110, y: 30, width: 10, height: 10))
    #expect(layers[1].clips.map(\.rect).dropFirst() == [layers[0].clips[0].rect])
    #expect(board.trace.contains { $0.column == "bar/card/inner/dot.x" && $0.value == "15" })
  }

  @Test func groupsTurnAndScaleWithAllThatIsInThem() throws {
    let json = """
      {"canvas": {"width": 100, "height": 200}, "layers": [
        {"id": "card", "frame": [20, 20, 40, 40], "transform": {"rotate": 90}, "anchor": [0, 0],
         "items": [{"id": "a", "fill": "red", "frame": [10, 0, 10, 10]},
           {"id": "b", "frame": [0, 0, 10, 10], "transform": {"scale": 2}, "items": [
             {"id": "c", "fill": "red", "frame": [0, 0, 10, 10]}]}]}]}
      """
    let board = try storyboard(json)
    // Around (20, 20): what was 10 to the right is 10 below.
    let turned = try #require(layer("canvas/card/a", board.scene).clips.first)
    let corner = turned.transform.apply(to: turned.rect.origin)
    #expect(abs(corner.x - 20) < 1e-9 && abs(corner.y - 30) < 1e-9)
    // Twice as large around its center (25, 25), then turned.
    let inner = try #require(layer("canvas/card/b/c", board.scene).clips.first)
    let start = inner.transform.apply(to: inner.rect.origin)
    #expect(abs(start.x - 25) < 1e-9 && abs(start.y - 15) < 1e-9, "\(start)")
  }

  @Test func anAnchorStaysWhereItIs() throws {
    let board = try storyboard(
      """
      {"canvas": {"width": 100, "height": 200}, "layers": [
        {"id": "a", "text": "Title", "frame": [20, 40, 60, 20], "anchor": [0, 0.5],
         "transform": {"scale": 0.5}},
        {"id": "b", "fill": "red", "frame": [20, 40, 60, 20], "anchor": [1, 1],
         "transform": {"scale": [2, 3], "rotate": 45, "translate": [5, 0]}}]}
      """)
    let text = try #require(layer("canvas/a", board.scene).mask).transform
    // The text's left border and its middle, 5 pixels below the upper edge of ten.
    let left = text.apply(to: LayoutPoint(x: 0, y: 5))
    #expect(abs(left.x - 20) < 1e-9 && abs(left.y - 50) < 1e-9)
    let shape = try #require(layer("canvas/b", board.scene).clips.first)
    let corner = shape.transform.apply(to: LayoutPoint(x: 80, y: 60))
    #expect(abs(corner.x - 85) < 1e-9 && abs(corner.y - 60) < 1e-9)
  }

  /// If only a scale changes, nothing jumps when it reaches 1, also between whole pixels.
  @Test func scaledTextsStayInTheirPlace() throws {
    for x in [20.0, 20.3, 20.5, 20.8] {
      var places: [AffineTransform] = []
      for scale in [0.9999, 1, 1.0001] {
        let board = try storyboard(
          """
          {"canvas": {"width": 100, "height": 200}, "layers": [
            {"id": "a", "text": "Title", "align": "center", "frame": [\(x), 40.4, 33.5, 19.7],
             "transform": {"scale": \(scale)}}]}
          """)
        places.append(try #require(layer("canvas/a", board.scene).mask).transform)
      }
      for place in places {
        #expect(abs(place.tx - places[1].tx) < 0.01 && abs(place.ty - places[1].ty) < 0.01, "\(x)")
      }
    }
  }

  @Test func springsMoveItemsAndTakeTheirTime() async throws {
    let json = """
      {"canvas": {"width": 100, "height": 200}, "duration": 3, "layers": [
        {"kind": "backdrop", "id": "view", "frame": [0, 0, 100, 100], "arrival": "fixed", "items": [
          {"id": "dot", "fill": "red", "left": 0, "width": 10, "keyframes": [
            {"at": 1, "easing": {"duration": 0.4, "bounce": 0.3}}, {"at": 3, "left": 50, "width": 10}
          ]}]}]}
      """
    let spring = try Spring(duration: 0.4, bounce: 0.3)
    let board = try storyboard(json)
    for time in [1.1, 1.25, 1.5, 2.9] {
      let later = try await advanced(board, to: time)
      let x = later.trace.first { $0.column == "view/dot.x" }.flatMap { Double($0.value) }
      #expect(abs(try #require(x) - 50 * spring.value(at: time - 1)) < 1e-2, "\(time)")
    }
  }

  @Test func sheetsComeFromAnySideOnASpring() async throws {
    let spring = try Spring(stiffness: 220, damping: 22)
    for (side, away) in [
      ("top", (0, -60)), ("bottom", (0, 200)), ("left", (-80, 100)), ("right", (100, 100)),
    ] {
      let json = """
        {"canvas": {"width": 100, "height": 200}, "duration": 4, "layers": [
          {"kind": "backdrop", "id": "sheet", "frame": [0, 100, 80, 60], "arrival": "\(side)",
           "arrivalEasing": {"stiffness": 220, "damping": 22}, "departureDuration": 0.3,
           "departureEasing": "easeIn", "items": [{"id": "a", "fill": "red"}],
           "events": [{"at": 1, "shown": true}, {"at": 3, "shown": false}]}]}
        """
      let board = try storyboard(json)
      func place(_ time: Double) async throws -> (x: Double, y: Double, alpha: Double) {
        let later = try await advanced(board, to: time)
        let trace = Dictionary(uniqueKeysWithValues: later.trace.map { ($0.column, $0.value) })
        func number(_ name: String) throws -> Double {
          try #require(trace["sheet.\(name)"].flatMap { Double($0) })
        }
        return (try number("x"), try number("y"), try number("alpha"))
      }
      let goesDown = side == "top" || side == "bottom"
      let start = (x: goesDown ? 0.0 : Double(away.0), y: goesDown ? Double(away.1) : 100)
      for (time, share) in [
        (0.5, 0), (1.1, spring.value(at: 0.1)), (1.2, spring.value(at: 0.2)), (2.5, 1),
        (3.15, 1 - Easing.easeIn.value(at: 0.5)), (3.5, 0),
      ] {
        let place = try await place(time)
        #expect(abs(place.x - start.x * (1 - share)) < 2e-3, "\(side) \(time): \(place)")
        #expect(
          abs(place.y - (start.y + (100 - start.y) * share)) < 2e-3, "\(side) \(time): \(place)")
        #expect(place.alpha == 1)
      }
      // Beyond the border there is nothing to draw.
      #expect(try await advanced(board, to: 3.6).scene.layers.isEmpty)
    }
  }

  @Test func viewsFadeAsOneOrLoseTheirBlur() async throws {
    func json(_ fading: String) -> String {
      """
      {"canvas": {"width": 100, "height": 200}, "duration": 2, "layers": [{"fill": "red"},
        {"kind": "backdrop", "id": "view", "frame": [0, 0, 80, 60], "arrival": "fixed",
         "material": "blur(20pt) saturate(2)", "color": "rgba(255, 255, 255, 0.5)",
         "fading": "\(fading)", "departureDuration": 0.4, "departureEasing": "linear",
         "items": [{"id": "a", "fill": "red"}], "events": [{"at": 1, "shown": false}]}]}
      """
    }
    let alpha = try await advanced(storyboard(json("alpha")), to: 1.2)
    #expect(alpha.scene.layers.map(\.id) == ["canvas/layer-0", "view/group"])
    guard case .group(let layers) = try layer("view/group", alpha.scene).content else {
      Issue.record("no group")
      return
    }
    #expect(layers.map(\.opacity) == [1, 1] && abs(alpha.scene.layers[1].opacity - 0.5) < 1e-9)
    let blur = try await advanced(storyboard(json("blur")), to: 1.2)
    #expect(
      blur.scene.layers.map(\.id)
        == ["canvas/layer-0", "view/surface/weak", "view/surface", "view/a"])
    let weak = try layer("view/surface/weak", blur.scene)
    guard case .backdrop(let chain, _) = weak.content,
      case .backdrop(let fixed, .below) = try layer("view/surface", blur.scene).content
    else {
      Issue.record("no backdrop")
      return
    }
    // Half as wide, half as much of the color, half as much saturation; the items go with it.
    #expect(weak.opacity == 1 && chain.text.hasPrefix("blur(radius=10.00000"), "\(chain.text)")
    #expect(chain.text.contains("alpha=0.50000"), "\(chain.text)")
    #expect(fixed.text.hasPrefix("saturate"), "\(fixed.text)")
    #expect(abs(try layer("view/surface", blur.scene).opacity - 0.5) < 1e-9)
    #expect(abs(try layer("view/a", blur.scene).opacity - 0.5) < 1e-9)
    let gone = try await advanced(storyboard(json("blur")), to: 1.5)
    #expect(gone.scene.layers.map(\.id) == ["canvas/layer-0"])
  }

  private let sections = """
    {"canvas": {"width": 100, "height": 200, "scale": 2}, "duration": 4,
     "content": {"topInset": 40, "rows": [
       {"count": 5, "height": 50, "items": [], "header": {"id": "one", "height": 20, "color": "gray",
         "items": [{"id": "line", "fill": "red", "keyframes": [{"progress": 0, "alpha": 0},
           {"progress": 1}]}]}},
       {"count": 10, "height": 50, "items": [], "header": {"height": 20, "color": "gray"}}]},
     "scroll": {"indicator": true, "gestures": [
       {"at": 1, "scrollTo": 10, "duration": 0}, {"at": 2, "scrollTo": 240, "duration": 0},
       {"at": 3, "scrollTo": 300, "duration": 0}]},
     "layers": [{"kind": "bar", "id": "bar", "min": 40, "max": 40, "color": "white"},
       {"kind": "bar", "id": "tools", "y": 170, "min": 30, "max": 30, "color": "white"}]}
    """

  @Test func headersStayBelowTheBarUntilTheirRowsAreGone() async throws {
    let board = try storyboard(sections) { _ in Size(width: 200, height: 1580) }
    // At the top they are where they belong: 0 and 20 + 5 · 50 points below the inset of 40.
    for (time, one, two) in [(0.5, 40, 310), (1.5, 40, 260), (2.5, 10, 40), (3.5, -50, 40)] {
      let later = try await advanced(board, to: time)
      let trace = Dictionary(uniqueKeysWithValues: later.trace.map { ($0.column, $0.value) })
      #expect(trace["one.y"] == "\(one)" && trace["header-1.y"] == "\(two)", "\(time): \(trace)")
    }
    let later = try await advanced(board, to: 2.5)
    #expect(
      try layer("one/surface", later.scene).clips[0].rect
        == LayoutRect(x: 0, y: 20, width: 200, height: 40))
    // They lie over the content and below the bars.
    #expect(
      later.scene.layers.map(\.id)
        == [
          "content", "one/surface", "one/line", "header-1/surface", "indicator", "bar/surface",
          "tools/surface",
        ])
    // Its progress is how far its own place has gone: half of 20 points at an offset of −30.
    let slight = try storyboard(sections.replacing("10, \"duration\"", with: "-30, \"duration\"")) {
      _ in
      Size(width: 200, height: 1580)
    }
    let half = try await advanced(slight, to: 1.5)
    #expect(try layer("one/line", half.scene).opacity == 0.5)
  }

  @Test func theIndicatorShowsWhileTheContentMoves() async throws {
    let board = try storyboard(sections) { _ in Size(width: 200, height: 1580) }
    func indicator(_ time: Double) async throws -> [Double?] {
      let later = try await advanced(board, to: time)
      return ["y", "height", "alpha"].map { name in
        later.trace.first { $0.column == "indicator.\(name)" }.flatMap { Double($0.value) }
      }
    }
    #expect(try await indicator(0.9)[2] == 0)
    // Between the bars: 40 + 3 to 170 − 3, 124 points. Of 630 points 200 are seen, the inset of 40
    // counts: 124 · 200 / 830.
    let seen = try await indicator(1.1)
    #expect(seen[1] == 36 && seen[2] == 1)
    let wanted = 43.0 + 88.0 * 50.0 / 630.0
    #expect(abs(try #require(seen[0]) - wanted) < 0.01, "\(seen)")
    #expect(try await indicator(1.35)[2] == 1)
    #expect(try await indicator(1.55)[2] == 0.5)
    #expect(try await indicator(1.75)[2] == 0)
    let moving = try await advanced(board, to: 1.1)
    #expect(try layer("indicator", moving.scene).clips[0].rect.maxX == 194)
    // Content that is all there has none.
    let short = try storyboard(sections) { _ in Size(width: 200, height: 200) }
    #expect(try await advanced(short, to: 1.1).scene.layers.allSatisfy { $0.id != "indicator" })
  }

  @Test func controllersDecideAboutTheStatusBar() async throws {
    let json = """
      {"canvas": {"width": 100, "height": 200}, "duration": 9, "appearance": "@", "layers": [
        {"kind": "status-bar", "id": "status",
         "controllers": {"name": "nav", "bar": false, "stack": [
           {"name": "list", "style": "lightContent"}]},
         "items": [{"id": "time", "fill": "content"}],
         "events": [{"at": 1, "push": {"name": "page"}, "onto": "nav", "duration": 0},
           {"at": 2, "present": {"name": "photo", "hidden": true, "animation": "none",
             "presentation": "fullScreen"}, "by": "page"},
           {"at": 3, "dismiss": "photo"}, {"at": 4, "pop": "nav", "duration": 0},
           {"at": 5, "orientation": "landscapeLeft"}]}]}
      """
    let board = try storyboard(json.replacing("@", with: "light"))
    for (time, style, alpha, owner) in [
      (0.5, "light", "1", "list"), (1.5, "dark", "1", "page"), (2.5, "dark", "0", "photo"),
      (3.9, "dark", "1", "page"), (4.5, "light", "1", "list"), (6, "light", "0", "list"),
    ] {
      let later = try await advanced(board, to: time)
      let trace = Dictionary(uniqueKeysWithValues: later.trace.map { ($0.column, $0.value) })
      #expect(trace["status.style"] == style, "\(time)")
      #expect(trace["status.alpha"] == alpha, "\(time)")
      #expect(trace["status.hiddenOwner"] == owner, "\(time)")
    }
    // In a dark interface the default is light.
    let dark = try await advanced(storyboard(json.replacing("@", with: "dark")), to: 1.5)
    #expect(dark.trace.contains { $0.column == "status.style" && $0.value == "light" })
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

  /// A change at a tenth of a second happens in the moment at that time, because all tenths are moments.
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

  /// An image for a frame of a million points is enlarged where it shows, and not made as large.
  @Test func imagesOfHugeFramesAreNotMadeAsLarge() throws {
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
        == PlacedImage(1, transform: .translation(x: 4, y: 68)))
    #expect(try layer("row 3/line", scene).clips.first?.rect.maxY == 160)
  }
}
