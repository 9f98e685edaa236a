package import FrostglassCore

/// What scrolls: pictures below each other, or items, or rows of items.
package struct ContentDocument: Sendable {
  /// Its height in points; `nil` is that of its pictures or rows.
  package var height: Double?
  /// Room above and below it, in points.
  package var topInset: Double
  package var bottomInset: Double
  package var background: Color
  /// Pictures as wide as the canvas, one below the other.
  package var pictures: [String]
  package var items: [ItemDocument]
  package var rows: RowsDocument?
}

/// Items that are repeated down the content. `{row}` in a text becomes the row's number.
package struct RowsDocument: Sendable {
  package var count: Int
  /// Of a row, in points.
  package var height: Double
  /// Where the first row is.
  package var top: Double
  package var items: [ItemDocument]

  /// Where the last row ends.
  package var bottom: Double { top + Double(count) * height }
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
    try ItemDocument.check(items, of: object)
    rows = try object.value("rows").map { value throws(DocumentError) in try RowsDocument(value) }
    try object.finish()
    let all = items + (rows?.items ?? [])
    if let moving = all.first(where: { $0.layout.followsTime }) {
      throw object.error(
        "has \(moving.id) with keyframes at times, and content is made once; put it in a layer")
    }
    guard height != nil || !pictures.isEmpty || rows != nil else {
      throw object.error("has no \"height\"; only \"images\" or \"rows\" have one of their own")
    }
  }
}

extension RowsDocument {
  fileprivate init(_ value: DocumentValue) throws(DocumentError) {
    var object = try value.object()
    count = Int(try object.required("count").number(in: 1...1000).rounded())
    height = try object.required("height").number(in: 1...10_000)
    top = try object.number("top", in: 0...1_000_000, default: 0)
    items = try ItemDocument.list(try object.required("items").array())
    try ItemDocument.check(items, of: object)
    try object.finish()
  }
}

/// How content is scrolled.
package struct ScrollDocument: Sendable {
  package var physics = ScrollPhysics.standard
  package var script = GestureScript.empty
  /// Where the content is at first; `nil` is its top.
  package var offset: Double?

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
      let curve = try object.value("easing")?.easing() ?? .linear
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
