extension ScrollSimulator {
  /// What can come next.
  enum Change {
    case release
    case motion(ScrollMotion)
    case step
  }

  /// What comes next; at the same time, what ends comes before what begins.
  var nextChange: (time: Double, change: Change)? {
    var ending: (time: Double, change: Change)?
    if case .drag(let start, let duration, _, _, _) = motion {
      ending = (start + duration, .release)
    } else if let next = motion.next(physics, band) {
      ending = (next.time, .motion(next.motion))
    }
    guard step < script.steps.count else { return ending }
    let start = script.steps[step].start
    if let ending, ending.time <= start { return ending }
    return (start, .step)
  }

  mutating func perform(_ change: Change, _ events: inout [TimedScrollEvent]) {
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
        start: time, duration: duration, grip: ScrollMotion.Grip(offset, band),
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
  mutating func report(_ events: inout [TimedScrollEvent]) {
    guard state.offset != reported else { return }
    reported = state.offset
    emit(.didScroll, &events)
  }

  private func emit(_ event: ScrollEvent, _ events: inout [TimedScrollEvent]) {
    events.append(TimedScrollEvent(time: time, event: event, state: state))
  }
}
