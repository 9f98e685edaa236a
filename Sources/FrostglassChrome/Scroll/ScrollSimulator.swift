/// Scrolls content as a script says, the way iOS would, and tells what happens.
///
/// Motion is computed from closed forms, so how often one asks makes no difference to where the
/// content is; only `didScroll` comes as often as one asks.
public struct ScrollSimulator: Sendable, Hashable {
  public let script: GestureScript
  public let physics: ScrollPhysics
  public let geometry: ScrollGeometry
  /// The time up to which everything has happened, in seconds.
  public private(set) var time = 0.0

  var motion: ScrollMotion
  /// The offset that the last `didScroll` told.
  var reported: Double
  /// The first step that has not begun.
  var step = 0

  /// - Parameter offset: where the content is at first; `nil` is its top.
  public init(
    geometry: ScrollGeometry, script: GestureScript, physics: ScrollPhysics = .standard,
    offset: Double? = nil
  ) {
    self.geometry = geometry
    self.script = script
    self.physics = physics
    reported = -geometry.topInset
    motion = .rest(offset: (offset ?? reported).kept(in: geometry.restingOffsets))
  }

  /// Where the content is now.
  public var state: ScrollState {
    ScrollState(
      geometry: geometry, offset: motion.offset(at: time, physics, band),
      velocity: motion.velocity(at: time, physics, band), phase: motion.phase,
      decelerationRate: physics.decelerationRate)
  }

  /// Lets time pass.
  ///
  /// - Parameter time: in seconds; one that is past already is ignored.
  /// - Returns: what happened, in order, each with its own time. If the content begins elsewhere
  ///   than at its top, that is a `didScroll`, too.
  public mutating func advance(to time: Double) -> [TimedScrollEvent] {
    guard time >= self.time, time.isFinite else { return [] }
    var events: [TimedScrollEvent] = []
    while let next = nextChange, next.time <= time {
      self.time = max(self.time, next.time)
      perform(next.change, &events)
    }
    self.time = time
    report(&events)
    return events
  }

  /// Puts the content somewhere, as a bar asks that snaps. That is no event.
  ///
  /// A finger that holds the content goes on from there; any other motion ends.
  ///
  /// - Parameter offset: in points; what is not finite is ignored.
  public mutating func moveContent(to offset: Double) {
    guard offset.isFinite else { return }
    if case .drag(let start, let duration, _, let distance, let curve) = motion {
      var grip = ScrollMotion.Grip(offset, band)
      grip.finger -= distance * curve.value(at: (time - start) / duration)
      motion = .drag(
        start: start, duration: duration, grip: grip, distance: distance, curve: curve)
    } else {
      motion = .rest(offset: offset)
    }
    reported = state.offset
  }

  var band: RubberBand { RubberBand(physics, geometry) }
}
