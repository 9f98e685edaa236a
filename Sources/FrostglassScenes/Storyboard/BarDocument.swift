package import FrostglassCore

/// A flexible bar across the canvas.
package struct BarDocument: Sendable {
  package var id: String
  /// The bar's upper edge, in points.
  package var top: Double
  /// The bar as it is at first.
  package var bar: FlexibleBar
  package var behavior: any BarBehavior
  package var snapping: Snapping
  /// The times of taps on the bar, in seconds.
  package var taps: [Double]
  package var surface: SurfaceDocument
  package var items: [ItemDocument]
}

/// The surface of a bar or view, below its items.
package struct SurfaceDocument: Sendable, Hashable {
  /// Filters for what lies behind.
  package var material: FilterChain?
  /// A color over that, by its alpha.
  package var color: Color?
  package var cornerRadius = 0.0
  /// True if the surface clips its items.
  package var clips = false
  package var decoration = DecorationDocument()
}

extension SurfaceDocument {
  init(_ object: inout DocumentObject) throws(DocumentError) {
    material = try object.value("material")?.filters()
    color = try object.value("color")?.color()
    cornerRadius = try object.number("cornerRadius", in: 0...100_000, default: 0)
    clips = try object.bool("clips", default: false)
    decoration = try DecorationDocument(&object)
  }
}

extension BarDocument {
  init(_ object: inout DocumentObject, default id: String) throws(DocumentError) {
    self.id = try object.value("id")?.text() ?? id
    top = try object.number("y", in: DocumentValue.coordinates, default: 0)
    let heights = 0.0...100_000
    let least = try object.number("min", in: heights, default: 20)
    let most = try object.number("max", in: heights, default: 44)
    guard least <= most else {
      throw object.error("has a \"min\" of \(least) above its \"max\" of \(most)")
    }
    behavior = try BarDocument.behavior(object.value("behavior"))
    snapping = try BarDocument.snapping(object.value("snap"))
    taps = []
    for tap in try object.array("taps") { taps.append(try tap.number(in: 0...3600)) }
    surface = try SurfaceDocument(&object)
    items = try ItemDocument.list(object.array("items"))
    do {
      bar = try FlexibleBar(
        minimumHeight: least, maximumHeight: most, items: items.map(\.layout))
    } catch { throw object.error("\(error)") }
  }

  private enum Kind: String, CaseIterable {
    case scrollAway = "scroll-away"
    case reveal
    case velocity
    case fixed
  }

  private static func behavior(
    _ value: DocumentValue?
  ) throws(DocumentError) -> any BarBehavior {
    guard let value else { return FixedBehavior() }
    if case .string = value.value.content {
      // A kind by itself has the defaults of its parameters.
      var nothing = DocumentObject([], path: value.path, place: value.value.place)
      return try behavior(try value.choice(Kind.self), &nothing)
    }
    var object = try value.object()
    let kind = try object.required("kind").choice(Kind.self)
    let made = try behavior(kind, &object)
    try object.finish()
    return made
  }

  private static func behavior(
    _ kind: Kind, _ object: inout DocumentObject
  ) throws(DocumentError) -> any BarBehavior {
    let thresholds = 0.0...1_000_000
    switch kind {
    case .scrollAway:
      return ScrollAwayBehavior(isElasticAtTop: try object.bool("elastic", default: false))
    case .reveal:
      return RevealBehavior(
        thresholdFromTop: try object.number("thresholdFromTop", in: thresholds, default: 0),
        thresholdNegative: try object.number("thresholdNegative", in: thresholds, default: 0),
        thresholdPositive: try object.number("thresholdPositive", in: thresholds, default: 0))
    case .velocity:
      return VelocityBehavior(
        velocityThreshold: try object.number("velocity", in: thresholds, default: 400),
        reversalThreshold: try object.number("reversal", in: thresholds, default: 8))
    case .fixed: return FixedBehavior()
    }
  }

  /// `[[from, to, target], …]`.
  private static func snapping(_ value: DocumentValue?) throws(DocumentError) -> Snapping {
    guard let value else { return .none }
    var ranges: [SnapRange] = []
    for range in try value.array() {
      let numbers = try range.numbers(["from", "to", "target"], in: DocumentValue.coordinates)
      do {
        ranges.append(try SnapRange(from: numbers[0], to: numbers[1], target: numbers[2]))
      } catch { throw range.error("\(error)") }
    }
    do { return try Snapping(ranges) } catch { throw value.error("\(error)") }
  }
}
