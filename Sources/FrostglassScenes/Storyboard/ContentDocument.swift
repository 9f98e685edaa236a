package import FrostglassCore

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
