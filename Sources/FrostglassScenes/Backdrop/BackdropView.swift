public import FrostglassCore

/// A view that shows what lies behind it, blurred: where it is and when it looks.
///
/// It holds no pixels and reads no clock. `handle(_:at:)` tells it what happens, `advance(to:)` lets
/// time pass, and both answer with what is to be done; the queries tell how it looks at `time`. The
/// image that it shows is what lay behind at `capturedAt`, filtered by its look, of which `cropRect`
/// shows: it stays aligned with what lies behind while the view moves or grows.
public struct BackdropView: Sendable, Hashable {
  /// The view's setup.
  public let settings: BackdropSettings
  /// The present, in seconds. Never goes back.
  public private(set) var time: Double
  /// The rule for when the view captures.
  public private(set) var mode = BackdropMode.undefined
  /// The view's phase between loading and unloading.
  public private(set) var phase = BackdropPhase.unloaded
  /// The view's effect on the content behind it.
  public private(set) var look = BackdropLook.standard
  /// True if the owner hides the view.
  public private(set) var isHidden = false
  /// The bounds of its parent, in points; `nil` while it is unloaded.
  public private(set) var parent: LayoutRect?
  /// The view's frame while it is shown, in points of its parent.
  public private(set) var shownFrame: LayoutRect
  /// The capture that the view shows; `nil` for none.
  public private(set) var capture: BackdropCapture?
  /// The number of captures requested.
  public private(set) var captureCount = 0
  /// The number of captures skipped because nothing had changed.
  public private(set) var skippedCount = 0

  private var motion: TimedValue<LayoutRect>
  private var opacity = TimedValue(1.0)
  /// The end of the arrival or departure, in seconds.
  private var phaseEnd = 0.0
  private var timer: BackdropTimer?
  /// The capture that is in flight.
  private var awaited: BackdropCapture?
  /// True if a capture is to be requested as soon as possible.
  private var isWanted = false
  private var changes = BackdropChanges()

  /// - Parameters:
  ///   - settings: the view's place and transitions.
  ///   - time: the present, in seconds; 0 if it is not finite.
  public init(_ settings: BackdropSettings = .standard, at time: Double = 0) {
    self.settings = settings
    self.time = time.isFinite ? time : 0
    shownFrame = settings.frame
    motion = TimedValue(settings.away(from: settings.frame, in: nil))
  }
}

extension BackdropView {
  /// The current frame, in points of the parent.
  public var frame: LayoutRect { motion.value(at: time).notInverted }

  /// The view's opacity, 0…1.
  public var alpha: Double {
    let opacity = opacity.value(at: time)
    return settings.fading == .alpha ? opacity : (opacity > 0 ? 1 : 0)
  }

  /// The strength of the look, 0…1: below 1 only for a view that fades by its blur.
  public var strength: Double { settings.fading == .blur ? opacity.value(at: time) : 1 }

  /// The part of its parent that it covers, and of the backdrop that it shows there; `nil` while
  /// nothing of it can be seen.
  public var cropRect: LayoutRect? {
    guard let parent, !isHidden, alpha > 0 else { return nil }
    return frame.part(inside: parent)
  }

  /// `cropRect` counted from the corner of what was captured; `nil` without a capture.
  public var cropInCapture: LayoutRect? {
    guard let crop = cropRect, let corner = capture?.rect.origin else { return nil }
    return LayoutRect(
      x: crop.x - corner.x, y: crop.y - corner.y, width: crop.width, height: crop.height)
  }

  /// The time of what it shows, in seconds; `nil` while it shows nothing.
  public var capturedAt: Double? { capture?.time }

  /// True if any part of the view can be seen.
  public var isVisible: Bool { cropRect != nil }

  /// True if the view moves or fades.
  public var isAnimating: Bool { motion.isMoving(at: time) || opacity.isMoving(at: time) }

  /// True if a timer runs; there is never more than one.
  public var hasTimer: Bool { timer != nil }

  /// The time of the next event from `advance(to:)`; `nil` for none.
  public var nextMoment: Double? {
    let isMoving = phase == .arriving || phase == .leaving
    return [isMoving ? phaseEnd : nil, timer?.next].compactMap(\.self).min()
  }
}

extension BackdropView {
  /// Handles an event.
  ///
  /// - Parameters:
  ///   - event: the event.
  ///   - time: the time of the event, in seconds; earlier than the present, or not finite, counts as now.
  /// - Returns: the effects, in order.
  @discardableResult
  public mutating func handle(_ event: BackdropEvent, at time: Double) -> [BackdropEffect] {
    let before = settle(to: time, isIncluded: false)
    return before + apply(event)
  }

  /// Advances to a later time. Ticks that were missed on the way count as one.
  ///
  /// - Parameter time: in seconds; an earlier one, or one that is not finite, counts as the present.
  /// - Returns: the effects, in order.
  @discardableResult
  public mutating func advance(to time: Double) -> [BackdropEffect] {
    settle(to: time, isIncluded: true)
  }

  /// - Parameter isIncluded: true if what is due at that time itself happens.
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
    case .place(let frame, let duration, let easing):
      return place(frame, duration: easing.duration ?? duration, easing)
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
  private mutating func settleTimer() -> [BackdropEffect] {
    guard let interval = mode.interval, phase.isShown, !isHidden else {
      guard timer != nil else { return [] }
      timer = nil
      return [.stopTimer]
    }
    guard timer == nil else { return [] }
    timer = BackdropTimer(start: time, interval: interval)
    return [.startTimer(interval: interval)] + request(at: time)
  }

  /// Requests a capture unless one is in flight, nothing of the view can be seen, or nothing has changed.
  private mutating func request(at moment: Double) -> [BackdropEffect] {
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
    let away = settings.away(from: shownFrame, in: parent)
    return settings.way(from: away, to: shownFrame).joined(with: frame).part(inside: parent)
  }
}

extension BackdropView {
  private mutating func load(_ parent: LayoutRect) -> [BackdropEffect] {
    guard parent.isUsable else { return [] }
    let unloaded = unload()
    self.parent = parent
    let isThere = settings.arrival == .fixed
    phase = isThere ? .arrived : .away
    motion.set(isThere ? shownFrame : settings.away(from: shownFrame, in: parent))
    opacity.set(1)
    let started = settleTimer()
    return unloaded + (timer == nil ? request(at: time) : started)
  }

  private mutating func unload() -> [BackdropEffect] {
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

  private mutating func slideDown() -> [BackdropEffect] {
    guard phase != .unloaded, phase != .arriving else { return [] }
    phase = .arriving
    move(
      to: shownFrame, alpha: 1, duration: settings.arrivalDuration, settings.arrivalEasing)
    return settleTimer()
  }

  private mutating func slideUp() -> [BackdropEffect] {
    guard phase.isShown else { return [] }
    phase = .leaving
    move(
      to: settings.away(from: shownFrame, in: parent), alpha: settings.arrival.fades ? 0 : 1,
      duration: settings.departureDuration, settings.departureEasing)
    return settleTimer()
  }

  private mutating func hide(_ hidden: Bool) -> [BackdropEffect] {
    isHidden = hidden
    let started = settleTimer()
    return started + (isWanted ? request(at: time) : [])
  }

  private mutating func place(
    _ frame: LayoutRect, duration: Double, _ easing: Easing
  ) -> [BackdropEffect] {
    guard frame.isUsable, frame != shownFrame else { return [] }
    shownFrame = frame
    let target = phase.isShown ? frame : settings.away(from: frame, in: parent)
    switch phase {
    case .arrived:
      motion.move(to: target, at: time, duration: duration, easing: easing)
    case .arriving, .leaving: motion.move(to: target, at: time, duration: phaseEnd - time)
    case .away, .unloaded: motion.set(target)
    }
    let farthest = self.frame.moved(toward: target, by: max(1, easing.bound)).notInverted
    guard let parent,
      let place = target.joined(with: self.frame).joined(with: farthest).part(inside: parent),
      let known = (awaited ?? capture)?.rect, !known.covers(place)
    else { return [] }
    return request(at: time)
  }

  /// Completes the requested capture and requests another one if it was wanted meanwhile.
  private mutating func finish(_ number: Int) -> [BackdropEffect] {
    guard let done = awaited, done.number == number else { return [] }
    awaited = nil
    capture = done
    return isWanted ? request(at: time) : []
  }

  private mutating func move(
    to frame: LayoutRect, alpha: Double, duration: Double, _ easing: Easing
  ) {
    let isMoving = frame != self.frame || alpha != self.alpha
    motion.move(to: frame, at: time, duration: duration, easing: easing)
    opacity.move(to: alpha, at: time, duration: duration)
    phaseEnd = isMoving ? time.later(by: duration) : time
  }
}

/// The rule for when a backdrop view captures the content behind it.
public enum BackdropMode: Sendable, Hashable {
  /// Not yet: it was never told to blur.
  case undefined
  /// On request, and on arrival.
  case `static`
  /// Again and again, after a number of seconds each, while it is shown.
  case live(interval: Double)

  /// The seconds between two looks; `nil` unless it is live.
  public var interval: Double? {
    if case .live(let interval) = self { interval } else { nil }
  }
}

/// The phase of a backdrop view on its way in and out.
public enum BackdropPhase: String, Sendable, Hashable, CaseIterable {
  /// In no parent.
  case unloaded
  /// In its parent, out of sight.
  case away
  case arriving
  case arrived
  case leaving

  /// True if the view is shown or arriving, so that a live view keeps capturing.
  var isShown: Bool { self == .arriving || self == .arrived }
}

/// A repeating timer whose ticks are computed, not waited for.
private struct BackdropTimer: Sendable, Hashable {
  let start: Double
  let interval: Double
  /// The number of the last tick; the first is 0 and comes at the start.
  private var last = 0.0

  /// Ticks may come early by as much, so that sums of time steps meet them.
  private static let tolerance = 1e-6

  init(start: Double, interval: Double) {
    self.start = start
    self.interval = interval
  }

  /// Seconds that a timer can have.
  static func limited(_ interval: Double) -> Double {
    interval.isNaN ? 0.2 : min(max(interval, 0.001), 3600)
  }

  /// The time of the next tick.
  var next: Double { start + (last + 1) * interval }

  /// Ticks that came up to a time are one.
  ///
  /// - Parameter isIncluded: true if a tick at that time itself counts.
  /// - Returns: the time of the last of them; `nil` if there was none.
  mutating func fire(upTo time: Double, isIncluded: Bool) -> Double? {
    let passed = (time - start) / interval
    let slack = BackdropTimer.tolerance / interval
    let tick = isIncluded ? (passed + slack).rounded(.down) : (passed - slack).rounded(.up) - 1
    guard tick > last else { return nil }
    last = tick
    return min(time, start + tick * interval)
  }
}
