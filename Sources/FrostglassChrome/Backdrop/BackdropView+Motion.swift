internal import FrostglassCore

extension BackdropView {
  mutating func load(_ parent: LayoutRect) -> [BackdropEffect] {
    guard parent.isUsable else { return [] }
    let unloaded = unload()
    self.parent = parent
    let isThere = settings.arrival == .fixed
    phase = isThere ? .arrived : .away
    motion.set(isThere ? shownFrame : settings.away(from: shownFrame))
    opacity.set(1)
    let started = settleTimer()
    return unloaded + (timer == nil ? request(at: time) : started)
  }

  mutating func unload() -> [BackdropEffect] {
    guard phase != .unloaded else { return [] }
    phase = .unloaded
    parent = nil
    capture = nil
    awaited = nil
    isWanted = false
    motion.set(frame)
    opacity.set(alpha)
    changes.noteEverything()
    return settleTimer()
  }

  mutating func slideDown() -> [BackdropEffect] {
    guard phase != .unloaded, phase != .arriving else { return [] }
    phase = .arriving
    move(to: shownFrame, alpha: 1, duration: settings.arrivalDuration)
    return settleTimer()
  }

  mutating func slideUp() -> [BackdropEffect] {
    guard phase.isShown else { return [] }
    phase = .leaving
    move(to: settings.away(from: shownFrame), alpha: 0, duration: settings.departureDuration)
    return settleTimer()
  }

  mutating func hide(_ hidden: Bool) -> [BackdropEffect] {
    isHidden = hidden
    let started = settleTimer()
    return started + (isWanted ? request(at: time) : [])
  }

  mutating func place(_ frame: LayoutRect, duration: Double) -> [BackdropEffect] {
    guard frame.isUsable, frame != shownFrame else { return [] }
    shownFrame = frame
    let target = phase.isShown ? frame : settings.away(from: frame)
    switch phase {
    case .arrived: motion.move(to: target, at: time, duration: duration)
    case .arriving, .leaving: motion.move(to: target, at: time, duration: phaseEnd - time)
    case .away, .unloaded: motion.set(target)
    }
    guard let parent, let place = target.joined(with: self.frame).part(inside: parent),
      let known = (awaited ?? capture)?.rect, !known.covers(place)
    else { return [] }
    return request(at: time)
  }

  /// What was asked for has come; what was wished for meanwhile is asked for now.
  mutating func finish(_ number: Int) -> [BackdropEffect] {
    guard let done = awaited, done.number == number else { return [] }
    awaited = nil
    capture = done
    return isWanted ? request(at: time) : []
  }

  private mutating func move(to frame: LayoutRect, alpha: Double, duration: Double) {
    let isMoving = frame != self.frame || alpha != self.alpha
    motion.move(to: frame, at: time, duration: duration)
    opacity.move(to: alpha, at: time, duration: duration)
    phaseEnd = isMoving ? time + duration : time
  }
}
