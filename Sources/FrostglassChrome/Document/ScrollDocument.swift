internal import FrostglassCore

/// How content is scrolled.
public struct ScrollDocument: Sendable {
  public var physics = ScrollPhysics.standard
  public var script = GestureScript.empty
  /// Where the content is at first; `nil` is its top.
  public var offset: Double?

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
    guard let (name, what) = try object.one(of: ["drag", "tapToTop", "scrollTo"]) else {
      throw object.error("has no \"drag\", \"tapToTop\" or \"scrollTo\"")
    }
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
