/// Scrolls content as a script says, the way iOS would, and tells what happens.
///
/// Motion is computed from closed forms, so how often one asks makes no difference to where the
/// content is; only `didScroll` comes as often as one asks.
public struct ScrollSimulator: Sendable, Hashable {
  /// The gestures of the finger and of programs.
  public let script: GestureScript
  /// The constants of the content's own motion.
  public let physics: ScrollPhysics
  /// The sizes of the viewport and its content.
  public let geometry: ScrollGeometry
  /// The time up to which everything has happened, in seconds.
  public private(set) var time = 0.0

  private var motion: ScrollMotion
  /// The offset that the last `didScroll` told.
  private var reported: Double
  /// The first step that has not begun.
  private var step = 0

  /// - Parameter offset: the initial offset; `nil` for the content's top.
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

  /// The present state of the content.
  public var state: ScrollState {
    ScrollState(
      geometry: geometry, offset: motion.offset(at: time, physics, band),
      velocity: motion.velocity(at: time, physics, band), phase: motion.phase,
      decelerationRate: physics.decelerationRate)
  }

  /// Advances time.
  ///
  /// - Parameter time: in seconds; a past one is ignored.
  /// - Returns: the events, in order, each with its own time. Content that begins elsewhere than at its top starts with
  ///   a `didScroll`.
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
      var grip = ScrollMotion.DragAnchor(offset, band)
      grip.finger -= distance * curve.value(at: (time - start) / duration)
      motion = .drag(
        start: start, duration: duration, grip: grip, distance: distance, curve: curve)
    } else {
      motion = .rest(offset: offset)
    }
    reported = state.offset
  }

  private var band: RubberBand { RubberBand(physics, geometry) }
}

extension ScrollSimulator {
  /// A kind of next change.
  private enum Change {
    case release
    case motion(ScrollMotion)
    case step
  }

  /// The next change and its time; at the same time, ends come before beginnings.
  private var nextChange: (time: Double, change: Change)? {
    var ending: (time: Double, change: Change)?
    if case .drag(let start, let duration, _, _, _) = motion {
      ending = (start.later(by: duration), .release)
    } else if let next = motion.next(physics, band) {
      ending = (next.time, .motion(next.motion))
    }
    guard step < script.steps.count else { return ending }
    let start = script.steps[step].start
    if let ending, ending.time <= start { return ending }
    return (start, .step)
  }

  private mutating func perform(_ change: Change, _ events: inout [TimedScrollEvent]) {
    switch change {
    case .release:
      report(&events)
      release(&events)
    case .motion(let next):
      let last = motion
      motion = next
      report(&events)
      guard case .rest = next else { return }
      if case .animation(_, _, _, _, let isToTop) = last {
        emit(isToTop ? .didScrollToTop : .didEndProgrammaticScroll, &events)
      } else {
        emit(.didEndDecelerating, &events)
      }
    case .step:
      report(&events)
      begin(script.steps[step], &events)
      step += 1
    }
  }

  private mutating func begin(_ step: GestureStep, _ events: inout [TimedScrollEvent]) {
    let offset = state.offset
    switch step {
    case .drag(_, let duration, let distance, let curve, _):
      motion = .drag(
        start: time, duration: duration, grip: ScrollMotion.DragAnchor(offset, band),
        distance: distance, curve: curve)
      emit(.willBeginDragging, &events)
    case .tapToTop:
      let top = -geometry.topInset
      let duration = offset == top ? 0 : physics.scrollToTopDuration
      motion = .animation(start: time, duration: duration, from: offset, to: top, isToTop: true)
      emit(.willScrollToTop, &events)
    case .scroll(_, let target, let duration):
      motion = .animation(
        start: time, duration: duration, from: offset, to: target.kept(in: geometry.restingOffsets),
        isToTop: false)
      emit(.willScrollProgrammatically, &events)
    }
  }

  private mutating func release(_ events: inout [TimedScrollEvent]) {
    let held = state
    var velocity = held.velocity
    if case .drag(_, _, _, _, .withVelocity(let given)) = script.steps[step - 1] {
      velocity = given
    }
    emit(.willEndDragging(velocity: velocity), &events)
    motion = .released(at: time, offset: held.offset, velocity: velocity, physics, band)
    emit(.didEndDragging(willDecelerate: motion.phase == .decelerating), &events)
  }

  /// Tells of the offset if it is another one than was told last.
  private mutating func report(_ events: inout [TimedScrollEvent]) {
    guard state.offset != reported else { return }
    reported = state.offset
    emit(.didScroll, &events)
  }

  private func emit(_ event: ScrollEvent, _ events: inout [TimedScrollEvent]) {
    events.append(TimedScrollEvent(time: time, event: event, state: state))
  }
}

/// A sequence of gestures on scrolled content.
public struct GestureScript: Sendable, Hashable {
  /// In the order in which they begin.
  public let steps: [GestureStep]

  /// Nothing is done.
  public static let empty = GestureScript(checked: [])

  private init(checked steps: [GestureStep]) { self.steps = steps }

  /// - Throws: `ScrollError` for steps that overlap or are not in order of time, times below 0,
  ///   drags that take no time, and numbers that are not finite. It names the step.
  public init(_ steps: [GestureStep]) throws(ScrollError) {
    var previousEnd = 0.0
    for (index, step) in steps.enumerated() {
      try GestureScript.check(step, number: index + 1)
      guard step.start >= previousEnd else {
        throw .overlap(step: index + 1, start: step.start, previousEnd: previousEnd)
      }
      previousEnd = step.end
    }
    self.init(checked: steps)
  }

  private static func check(_ step: GestureStep, number: Int) throws(ScrollError) {
    func bad(_ name: String, _ value: Double, _ accepted: String) -> ScrollError {
      .badStep(number, kind: step.kind, name: name, value: value, accepted: accepted)
    }
    let longest = Double.farthest
    guard step.start >= 0, step.start <= longest else {
      throw bad("start", step.start, "0 s or more")
    }
    switch step {
    case .drag(_, let duration, let distance, _, let release):
      guard duration > 0, duration <= longest else {
        throw bad("duration", duration, "above 0 s")
      }
      guard abs(distance) <= longest else {
        throw bad("distance", distance, "a finite number of points")
      }
      if case .withVelocity(let velocity) = release, !(abs(velocity) <= 1e6) {
        throw bad("release velocity", velocity, "-1000000…1000000 points per second")
      }
    case .tapToTop: break
    case .scroll(_, let offset, let duration):
      guard abs(offset) <= longest else {
        throw bad("offset", offset, "a finite number of points")
      }
      guard duration >= 0, duration <= longest else {
        throw bad("duration", duration, "0 s or more")
      }
    }
  }
}

/// One thing that a person or the program does to scrolled content. Times in seconds.
public enum GestureStep: Sendable, Hashable {
  /// The velocity of the content after a finger lets go.
  public enum Release: Sendable, Hashable {
    /// The content goes on as fast as the finger was.
    case withFingerVelocity
    /// It goes on with this one, in points per second, above 0 toward the end; 0 stops.
    case withVelocity(Double)
  }

  /// A finger moves by a distance in points; above 0 moves the content toward its end.
  ///
  /// A distance of 0 holds the content. `curve` is the finger's way over its time.
  case drag(
    start: Double, duration: Double, distance: Double, curve: Easing = .linear,
    release: Release = .withFingerVelocity)
  /// A tap on the status bar.
  case tapToTop(start: Double)
  /// The program scrolls to an offset, or to the nearest at which content can rest. A duration of 0
  /// jumps.
  case scroll(start: Double, offset: Double, duration: Double)

  /// The start of the step, in seconds.
  public var start: Double {
    switch self {
    case .drag(let start, _, _, _, _), .tapToTop(let start), .scroll(let start, _, _): start
    }
  }

  /// The earliest start of the next step. It may interrupt deceleration and the way to the top.
  public var end: Double {
    switch self {
    case .drag(let start, let duration, _, _, _): start.later(by: duration)
    case .tapToTop(let start): start
    case .scroll(let start, _, let duration): start.later(by: duration)
    }
  }

  /// The step's name in messages.
  var kind: String {
    switch self {
    case .drag: "drag"
    case .tapToTop: "tap to top"
    case .scroll: "scroll"
    }
  }
}
