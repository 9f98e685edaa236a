package import FrostglassCore

/// The content at work: where it is, the headers that stay at its upper edge, and its indicator.
struct ContentElement: Sendable {
  /// The parts of the canvas that bars cover, in points.
  struct Insets: Sendable {
    var top = 0.0
    var bottom = 0.0

    /// Returns the larger of two insets at each edge.
    func joined(with other: Insets) -> Insets {
      Insets(top: max(top, other.top), bottom: max(bottom, other.bottom))
    }
  }

  private let canvas: CanvasDocument
  private let headers: [StickyHeader]
  private var indicator: ScrollIndicator?

  init(
    _ content: ContentDocument, _ indicator: IndicatorDocument?, on canvas: CanvasDocument,
    _ assets: inout AssetList
  ) {
    self.canvas = canvas
    self.indicator = indicator.map { ScrollIndicator($0) }
    headers = content.rows.compactMap { rows in
      rows.header.map {
        StickyHeader($0, top: rows.top, end: rows.bottom, on: canvas, &assets)
      }
    }
  }

  /// Takes note of where the content is.
  mutating func note(_ state: ScrollState, at time: Double) {
    indicator?.note(state, at: time)
  }

  /// The content and what belongs to it; its image is the scene's first.
  func layers(_ composer: LayerComposer, _ state: ScrollState, _ insets: Insets) -> [Layer] {
    let top = (-state.offset * canvas.scale).rounded()
    let content = Layer(
      id: "content", .picture(PlacedImage(0, transform: .translation(x: 0, y: top))))
    return [content]
      + headers.flatMap { $0.layers(composer, contentTop: top, under: insets.top) }
      + (indicator?.layers(composer, state, insets, on: canvas) ?? [])
  }

  func trace(
    _ state: ScrollState, _ insets: Insets, at time: Double
  ) -> [(column: String, value: String)] {
    let top = (-state.offset * canvas.scale).rounded()
    return headers.map { header in
      ("\(header.id).y", TraceText.number(header.frame(contentTop: top, under: insets.top).y))
    } + (indicator?.trace(state, insets, on: canvas, at: time) ?? [])
  }
}

/// A header that goes along with its rows, but no farther up than what covers the canvas there, until
/// the last of them pushes it away.
private struct StickyHeader: Sendable {
  private let document: HeaderDocument
  private let canvas: CanvasDocument
  private let group: ItemGroup
  private let layout: FlexibleBar
  /// The header's upper edge in the content, and the lower edge of its rows, in points.
  private let top: Double
  private let end: Double

  init(
    _ document: HeaderDocument, top: Double, end: Double, on canvas: CanvasDocument,
    _ assets: inout AssetList
  ) {
    self.document = document
    self.canvas = canvas
    (self.top, self.end) = (top, end)
    layout = .still(document.items, height: document.height)
    group = ItemGroup(
      document.items, in: layout, width: canvas.size.width, scale: canvas.scale, &assets)
  }

  var id: String { document.id }

  /// Returns a content line's place on the canvas, in points, at the distance from the content's upper edge at which it
  /// was drawn.
  private func place(of line: Double, _ contentTop: Double) -> Double {
    (contentTop + (line * canvas.scale).rounded()) / canvas.scale
  }

  /// - Parameters:
  ///   - contentTop: the content's upper edge, in pixels.
  ///   - edge: the line below which it stays, in points.
  func frame(contentTop: Double, under edge: Double) -> LayoutRect {
    let natural = place(of: top, contentTop)
    let last = place(of: end, contentTop) - document.height
    return LayoutRect(
      x: 0, y: max(natural, min(edge, last)), width: canvas.size.width, height: document.height)
  }

  func layers(_ composer: LayerComposer, contentTop: Double, under edge: Double) -> [Layer] {
    let frame = frame(contentTop: contentTop, under: edge)
    let isSeen = frame.y < canvas.size.height && frame.maxY > 0
    guard isSeen else { return [] }
    // How far its own place has gone below it.
    let gone = (frame.y - place(of: top, contentTop)) / document.height
    return composer.layers(document.surface, id: document.id, frame: frame)
      + composer.layers(
        layout.still(height: document.height, progress: gone), width: canvas.size.width, group,
        in: composer.inside(document.surface, id: document.id, frame: frame))
  }
}

/// The bar at the right border that is there while the content moves.
private struct ScrollIndicator: Sendable {
  private let document: IndicatorDocument
  private var offset: Double?
  /// The time of the content's last movement, in seconds.
  private var lastMoved: Double?
  private var isMoving = false

  /// The time that the indicator stays after the content comes to rest, and its fade, in seconds. Our choice: UIKit
  /// documents neither.
  private static let hold = 0.4
  private static let fade = 0.3

  init(_ document: IndicatorDocument) { self.document = document }

  mutating func note(_ state: ScrollState, at time: Double) {
    isMoving = state.phase != .resting || offset.map { $0 != state.offset } ?? false
    if isMoving { lastMoved = time }
    offset = state.offset
  }

  private func alpha(at time: Double) -> Double {
    guard !isMoving else { return 1 }
    guard let lastMoved else { return 0 }
    let share = (time - lastMoved - Self.hold) / Self.fade
    return 1 - Easing.easeInOut.value(at: share)
  }

  /// `nil` where all of the content can be seen, or bars leave no room.
  private func frame(
    _ state: ScrollState, _ insets: ContentElement.Insets, on canvas: CanvasDocument
  ) -> LayoutRect? {
    let ends = state.geometry.restingOffsets
    let range = ends.upperBound - ends.lowerBound
    let way = canvas.size.height - insets.top - insets.bottom - 2 * document.margin
    guard range > 0, way > document.width else { return nil }
    let viewport = state.geometry.viewportHeight
    let whole = max(document.shortest, way * viewport / (viewport + range))
    // Beyond an end it gets shorter, as if it were pushed against it.
    let beyond = max(ends.lowerBound - state.offset, state.offset - ends.upperBound, 0)
    let length = min(max(whole - beyond, 2 * document.width), way)
    let share = ((state.offset - ends.lowerBound) / range).kept(in: 0...1)
    return LayoutRect(
      x: canvas.size.width - document.margin - document.width,
      y: insets.top + document.margin + share * (way - length), width: document.width,
      height: length)
  }

  func layers(
    _ composer: LayerComposer, _ state: ScrollState, _ insets: ContentElement.Insets,
    on canvas: CanvasDocument
  ) -> [Layer] {
    let alpha = alpha(at: composer.time)
    guard alpha > 0, let frame = frame(state, insets, on: canvas) else { return [] }
    let shape = composer.rounded(
      composer.pixels(frame), document.width * composer.scale / 2)
    return [Layer(id: "indicator", .color(document.color), clips: [shape], opacity: alpha)]
  }

  func trace(
    _ state: ScrollState, _ insets: ContentElement.Insets, on canvas: CanvasDocument,
    at time: Double
  ) -> [(column: String, value: String)] {
    let frame = frame(state, insets, on: canvas)
    return [
      ("indicator.y", frame.map { TraceText.number($0.y) } ?? ""),
      ("indicator.height", frame.map { TraceText.number($0.height) } ?? ""),
      ("indicator.alpha", TraceText.number(frame == nil ? 0 : alpha(at: time))),
    ]
  }
}

/// The rendering of the scrolled content: once, as one long image.
package struct ContentSheet: Sendable {
  /// The assets that it needs, in the order of its scene's images.
  package let assets: [Asset]

  private let content: ContentDocument
  private let canvas: CanvasDocument
  private let groups: [Group]
  private let files: [Int]

  /// The rows that the image may have.
  private static let mostRows = 65_535

  /// Items, and where they are, in points.
  private struct Group: Sendable {
    var items: ItemGroup
    var layout: FlexibleBar
    var id: String
    var top: Double
  }

  init(_ content: ContentDocument, on canvas: CanvasDocument) {
    self.content = content
    self.canvas = canvas
    // All of it is made, and seen part by part.
    var assets = AssetList(seen: Size(width: canvas.pixels.width, height: Self.mostRows))
    let width = canvas.size.width
    files = content.pictures.map { path in
      assets.number(of: .picture(path: path, .width(canvas.pixels.width)))
    }
    var groups: [Group] = []
    func add(_ items: [ItemDocument], id: String, top: Double, height: Double, row: Int? = nil) {
      let layout = FlexibleBar.still(items, height: height)
      let group = ItemGroup(
        items, in: layout, width: width, scale: canvas.scale, row: row, &assets)
      groups.append(Group(items: group, layout: layout, id: id, top: top))
    }
    add(content.items, id: "content", top: 0, height: content.height ?? content.bottom)
    for (section, rows) in content.rows.enumerated() {
      let prefix = content.rows.count == 1 ? "" : "section \(section + 1) "
      for row in 0..<rows.count {
        add(
          rows.items, id: prefix + "row \(row + 1)", top: rows.top(ofRow: row),
          height: rows.height, row: row + 1)
      }
    }
    self.groups = groups
    self.assets = assets.assets
  }

  /// The long image as a scene.
  ///
  /// - Parameter pictures: the loaded assets, as inputs.
  /// - Throws: `SceneError.plan` where it would be longer than 65535 pixels.
  package func scene(_ pictures: [Plan.Input]) throws(SceneError) -> Scene {
    let scale = canvas.scale
    let pictured = files.reduce(0) { $0 + pictures[$1].size.height }
    let height = max(pictured, Int((content.bottom * scale).rounded()), 1)
    let size = Size(width: canvas.pixels.width, height: height)
    guard height <= Self.mostRows, size.area <= 1 << 28 else {
      throw .plan(.tooLarge(size, limit: "65535 rows and 268 million pixels for content"))
    }
    let composer = LayerComposer(scale: scale, pictures: pictures)
    var layers: [Layer] = []
    var top = 0
    for (index, picture) in files.enumerated() {
      let place = AffineTransform.translation(x: 0, y: Double(top))
      layers.append(
        Layer(id: "image \(index)", .picture(PlacedImage(picture, transform: place))))
      top += pictures[picture].size.height
    }
    for group in groups {
      let parent = LayerComposer.Parent(id: group.id, origin: LayoutPoint(x: 0, y: group.top))
      layers += composer.layers(
        group.layout, width: canvas.size.width, group.items, in: parent)
    }
    return Scene(
      size: size, background: content.background, layers: layers, pictures: pictures,
      scale: scale)
  }
}

/// The scrolled content: images below each other, items, or rows of items.
package struct ContentDocument: Sendable {
  /// Its height in points; `nil` is that of its images or rows.
  package var height: Double?
  /// Room above and below it, in points.
  package var topInset: Double
  package var bottomInset: Double
  package var background: Color
  /// Images as wide as the canvas, one below the other.
  package var pictures: [String]
  package var items: [ItemDocument]
  /// Below each other, as long as none says where it begins.
  package var rows: [RowsDocument]

  /// The lower end of the given height and of all rows, without images; in points.
  var bottom: Double { rows.reduce(height ?? 0) { max($0, $1.bottom) } }
}

/// Items that are repeated down the content. `{row}` in a text becomes the row's number.
package struct RowsDocument: Sendable {
  package var header: HeaderDocument?
  package var count: Int
  /// The height of a row, in points.
  package var height: Double
  /// The upper edge of the rows and their header, in points.
  package var top: Double
  package var items: [ItemDocument]

  /// Returns the upper edge of a row, counted from 0.
  func top(ofRow row: Int) -> Double { top + (header?.height ?? 0) + Double(row) * height }

  /// The lower edge of the last row.
  package var bottom: Double { top(ofRow: count) }
}

/// A header that stays at the upper edge while its rows scroll by, until they are gone.
package struct HeaderDocument: Sendable {
  package var id: String
  /// In points.
  package var height: Double
  package var surface: SurfaceDocument
  package var items: [ItemDocument]
}

/// The bar that says which part of the content is shown. Lengths are points.
package struct IndicatorDocument: Sendable, Hashable {
  package var color = Color(white: 0, alpha: 0.35)
  package var width = 3.0
  /// From the canvas's right border, and from both ends of its way.
  package var margin = 3.0
  /// It gets no shorter, but beyond the content's ends.
  package var shortest = 36.0
}

extension ContentDocument {
  init(_ value: DocumentValue) throws(DocumentError) {
    var object = try value.object()
    height = try object.value("height")?.number(in: 0...1_000_000)
    topInset = try object.number("topInset", in: -10_000...10_000, default: 0)
    bottomInset = try object.number("bottomInset", in: -10_000...10_000, default: 0)
    background = try object.value("background")?.color() ?? .white
    pictures = []
    for picture in try object.array("images") { pictures.append(try picture.text()) }
    items = try ItemDocument.list(object.array("items"))
    rows = try ContentDocument.rows(object.value("rows"))
    try object.finish()
    let all = items + rows.flatMap(\.items)
    if let moving = all.firstFollowingTime {
      throw object.error(
        "has \(moving.id) with keyframes at times, and content is made once; put it in a layer")
    }
    guard height != nil || !pictures.isEmpty || !rows.isEmpty else {
      throw object.error("has no \"height\"; only \"images\" or \"rows\" have one of their own")
    }
  }

  /// One object, or some in an array.
  /// Items of all rows.
  private static let mostPieces = 20_000

  private static func rows(_ value: DocumentValue?) throws(DocumentError) -> [RowsDocument] {
    guard let value else { return [] }
    guard case .array = value.value.content else { return [try RowsDocument(value, after: [])] }
    var rows: [RowsDocument] = []
    var pieces = 0
    for value in try value.array() {
      rows.append(try RowsDocument(value, after: rows))
      pieces += rows[rows.count - 1].count * max(rows[rows.count - 1].items.count, 1)
      guard pieces <= mostPieces else {
        throw value.error("makes more than \(mostPieces) items of all rows together")
      }
    }
    return rows
  }
}

extension [ItemDocument] {
  /// One of them, or of those in them, that has keyframes at times.
  fileprivate var firstFollowingTime: ItemDocument? {
    for item in self {
      if item.layout.followsTime { return item }
      if case .group(let group) = item.content, let inner = group.items.firstFollowingTime {
        return inner
      }
    }
    return nil
  }
}

extension RowsDocument {
  /// - Parameter others: that come before.
  fileprivate init(_ value: DocumentValue, after others: [RowsDocument]) throws(DocumentError) {
    var object = try value.object()
    count = Int(try object.required("count").number(in: 1...1000).rounded())
    height = try object.required("height").number(in: 1...10_000)
    let end = min(others.last?.bottom ?? 0, 1_000_000)
    top = try object.number("top", in: 0...1_000_000, default: end)
    header = try object.value("header").map { value throws(DocumentError) in
      let header = try HeaderDocument(value, default: "header-\(others.count)")
      guard !others.contains(where: { $0.header?.id == header.id }) else {
        throw value.error("has the id \"\(header.id)\", as another header; each needs its own")
      }
      return header
    }
    items = try ItemDocument.list(try object.required("items").array())
    try object.finish()
  }
}

extension HeaderDocument {
  fileprivate init(_ value: DocumentValue, default id: String) throws(DocumentError) {
    var object = try value.object()
    self.id = try object.value("id")?.text() ?? id
    height = try object.required("height").number(in: 1...10_000)
    surface = try SurfaceDocument(&object)
    items = try ItemDocument.list(object.array("items"))
    try object.finish()
  }
}

extension IndicatorDocument {
  /// An object, or `true` for the usual one; `nil` for `false`.
  fileprivate static func read(_ value: DocumentValue) throws(DocumentError) -> IndicatorDocument? {
    if case .bool(let isThere) = value.value.content { return isThere ? IndicatorDocument() : nil }
    guard case .object = value.value.content else { throw value.wrong("true, false or an object") }
    var object = try value.object()
    var indicator = IndicatorDocument()
    indicator.color = try object.value("color")?.color() ?? indicator.color
    indicator.width = try object.number("width", in: 0.5...100, default: indicator.width)
    indicator.margin = try object.number("margin", in: 0...1000, default: indicator.margin)
    indicator.shortest = try object.number("shortest", in: 1...10_000, default: indicator.shortest)
    try object.finish()
    return indicator
  }
}

/// The scrolling of content.
package struct ScrollDocument: Sendable {
  package var physics = ScrollPhysics.standard
  package var script = GestureScript.empty
  /// The initial offset; `nil` for the content's top.
  package var offset: Double?
  package var indicator: IndicatorDocument?

  init() {}
}

extension ScrollDocument {
  init(_ value: DocumentValue) throws(DocumentError) {
    var object = try value.object()
    offset = try object.value("offset")?.number(in: DocumentValue.coordinates)
    if let rate = try object.value("deceleration")?.choice(DecelerationRate.self) {
      do { physics = try ScrollPhysics(decelerationRate: rate) } catch {
        throw object.error("\(error)")
      }
    }
    indicator = try object.value("indicator").flatMap { value throws(DocumentError) in
      try IndicatorDocument.read(value)
    }
    var steps: [GestureStep] = []
    let gestures = object.value("gestures")
    for value in try gestures?.array() ?? [] { steps.append(try GestureStep(value)) }
    try object.finish()
    do { script = try GestureScript(steps) } catch {
      throw gestures?.error("\(error)") ?? object.error("\(error)")
    }
  }
}

extension GestureStep {
  fileprivate init(_ value: DocumentValue) throws(DocumentError) {
    var object = try value.object()
    let start = try object.required("at").number(in: 0...3600)
    let kinds = ["drag", "tapToTop", "scrollTo"]
    guard let (name, what) = try object.one(of: kinds) else { throw object.lacking(kinds) }
    switch name {
    case "drag":
      let duration = try object.number("duration", in: 0.001...60, default: 0.3)
      // A finger is no spring.
      let curve = try object.value("easing")?.curve() ?? .linear
      let release = try object.value("velocity")?.number(in: -1_000_000...1_000_000)
      self = .drag(
        start: start, duration: duration, distance: try what.number(in: DocumentValue.coordinates),
        curve: curve, release: release.map { .withVelocity($0) } ?? .withFingerVelocity)
    case "tapToTop":
      guard try what.bool() else { throw what.wrong("true") }
      self = .tapToTop(start: start)
    default:
      let duration = try object.number("duration", in: 0...60, default: 0.3)
      self = .scroll(
        start: start, offset: try what.number(in: DocumentValue.coordinates), duration: duration)
    }
    try object.finish()
  }
}
