internal import FrostglassCore

extension BackdropView {
  /// Takes note of what happens.
  ///
  /// - Parameters:
  ///   - event: what happens.
  ///   - time: when, in seconds; before the present, or not finite, it happens now.
  /// - Returns: what is to be done, in this order.
  @discardableResult
  public mutating func handle(_ event: BackdropEvent, at time: Double) -> [BackdropEffect] {
    let before = settle(to: time, isIncluded: false)
    return before + apply(event)
  }

  /// Goes on to a later time. Ticks that were missed on the way are one.
  ///
  /// - Parameter time: in seconds; an earlier one, or one that is not finite, counts as the present.
  /// - Returns: what is to be done, in this order.
  @discardableResult
  public mutating func advance(to time: Double) -> [BackdropEffect] {
    settle(to: time, isIncluded: true)
  }

  /// - Parameter isIncluded: whether what is due at that time itself happens.
  private mutating func settle(to time: Double, isIncluded: Bool) -> [BackdropEffect] {
    if time.isFinite { self.time = max(time, self.time) }
    var effects: [BackdropEffect] = []
    if self.time > phaseEnd || isIncluded && self.time == phaseEnd {
      if phase == .arriving {
        phase = .arrived
        effects.append(.arrived)
        if mode == .static { effects += request(at: phaseEnd) }
      } else if phase == .leaving {
        phase = .away
        effects.append(.left)
      }
    }
    if let tick = timer?.fire(upTo: self.time, isIncluded: isIncluded) {
      effects += request(at: tick)
    }
    return effects
  }

  private mutating func apply(_ event: BackdropEvent) -> [BackdropEffect] {
    switch event {
    case .load(let parent): return load(parent)
    case .blur(let look):
      replace(look)
      if mode == .undefined { mode = .static }
      return request(at: time)
    case .blurLive(let look, let interval):
      replace(look)
      return becomeLive(interval)
    case .becomeStatic:
      guard mode.interval != nil else { return [] }
      mode = .static
      return settleTimer()
    case .becomeLive(let interval): return becomeLive(interval)
    case .slideDown: return slideDown()
    case .slideUp: return slideUp()
    case .unload: return unload()
    case .hidden(let hidden): return hide(hidden)
    case .place(let frame, let duration): return place(frame, duration: duration)
    case .damaged(let damage): changes.note(damage)
    case .version(let version): changes.note(version: version)
    case .captured(let number): return finish(number)
    }
    return []
  }
}

extension BackdropView {
  private mutating func replace(_ look: BackdropLook) {
    guard look != self.look else { return }
    self.look = look
    changes.noteEverything()
  }

  private mutating func becomeLive(_ interval: Double) -> [BackdropEffect] {
    let stopped: [BackdropEffect] = timer == nil ? [] : [.stopTimer]
    timer = nil
    mode = .live(interval: BackdropTimer.limited(interval))
    let started = settleTimer()
    return stopped + (timer == nil ? request(at: time) : started)
  }

  /// Starts the timer or stops it, as mode and phase want. A timer's first tick comes at once.
  mutating func settleTimer() -> [BackdropEffect] {
    guard let interval = mode.interval, phase.isShown, !isHidden else {
      guard timer != nil else { return [] }
      timer = nil
      return [.stopTimer]
    }
    guard timer == nil else { return [] }
    timer = BackdropTimer(start: time, interval: interval)
    return [.startTimer(interval: interval)] + request(at: time)
  }

  /// Asks for a capture unless one is in flight, nobody could see it, or nothing has changed.
  mutating func request(at moment: Double) -> [BackdropEffect] {
    guard mode != .undefined, let rect = neededRect else { return [] }
    isWanted = isHidden || awaited != nil
    guard !isWanted else { return [] }
    let reach = look.reach.map { Int(($0 * settings.scale).rounded(.up)) }
    if capture?.rect.covers(rect) != true { changes.noteEverything() }
    let change = changes.change(near: rect.pixels(scale: settings.scale), reach: reach)
    if case .nothing = change {
      skippedCount += 1
      return []
    }
    changes.forget()
    captureCount += 1
    let request = BackdropCapture(
      number: captureCount, rect: rect, time: moment, change: change, scale: settings.scale,
      reach: look.reach)
    if settings.confirmsCaptures { awaited = request } else { capture = request }
    return [.capture(request)]
  }

  /// All places that it can be at without being told, inside its parent.
  private var neededRect: LayoutRect? {
    guard let parent else { return nil }
    let places = [settings.away(from: shownFrame), frame].reduce(shownFrame) { $0.joined(with: $1) }
    return places.part(inside: parent)
  }
}
