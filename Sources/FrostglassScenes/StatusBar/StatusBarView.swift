public import FrostglassCore

/// A blurred status bar: where it is, how much it covers, and what its content looks like.
///
/// It follows its interface through rotations, calls and changes of appearance. Events at a time and
/// `advance(to:)` move it on; the queries tell how it looks at `time`. An animation that is
/// interrupted goes on from where it is.
public struct StatusBarView: Sendable, Hashable {
  /// The present, in seconds. Never goes back.
  public private(set) var time: Double
  /// The color of text and symbols, or the one that they change to.
  public private(set) var content: StatusBarContent
  /// True if the bar is hidden or being hidden.
  public private(set) var isHidden = false
  /// The durations of the bar's animations.
  public let timing: Timing
  /// The bar's height, normally and in a call.
  public let metrics: StatusBarMetrics

  private var bounds: TimedValue<LayoutRect>
  private var turned = TimedValue(1.0)
  private var faded = TimedValue(1.0)
  private var slid = TimedValue(0.0)
  private var lightness: TimedValue<Double>

  /// The durations of animations, in seconds.
  public struct Timing: Sendable, Hashable {
    /// A change of orientation.
    public var orientation = 0.5
    /// A change of the frame.
    public var frame = 0.5
    /// Coming and going by fade or slide. Our choice: UIKit does not tell.
    public var hiding = 0.35

    /// The times above.
    public init() {}
  }

  /// - Parameters:
  ///   - width: the screen's, in points.
  ///   - metrics: the bar's heights.
  ///   - content: black or white to begin with.
  ///   - timing: the durations of its animations; those not above 0 take no time.
  ///   - time: the present, in seconds.
  /// - Throws: `StatusBarError.badValue` when the width or the height is not from 0 to 10⁶ points,
  ///   or the time is not finite.
  public init(
    width: Double, metrics: StatusBarMetrics = .classic, content: StatusBarContent = .dark,
    timing: Timing = Timing(), at time: Double = 0
  ) throws(StatusBarError) {
    let lengths = [
      ("width", width), ("height", metrics.height), ("extended height", metrics.extendedHeight),
    ]
    for (name, length) in lengths where !(0...1e6).contains(length) {
      throw .badValue(name: name, value: length, accepted: "from 0 to 1000000 points")
    }
    guard time.isFinite else {
      throw .badValue(name: "time", value: time, accepted: "a finite number of seconds")
    }
    self.time = time
    self.metrics = metrics
    self.content = content
    self.timing = timing
    bounds = TimedValue(LayoutRect(x: 0, y: 0, width: width, height: metrics.height))
    lightness = TimedValue(content == .light ? 1 : 0)
  }
}

extension StatusBarView {
  /// The bar's frame, in points; above the screen while it has slid away.
  public var frame: LayoutRect {
    var frame = bounds.value(at: time)
    frame.origin.y -= frame.height * slid.value(at: time)
    return frame
  }

  /// The bar's opacity, 0…1.
  public var alpha: Double { turned.value(at: time) * faded.value(at: time) }

  /// The lightness of the content: 0 for black, 1 for white, between while it changes.
  public var contentLightness: Double { lightness.value(at: time) }

  /// True if any part of the bar can be seen on a screen that begins at y = 0.
  public var isVisible: Bool { alpha > 0 && frame.maxY > 0 && !frame.hasNoArea }

  /// True if anything moves or changes.
  public var isAnimating: Bool {
    bounds.isMoving(at: time)
      || [turned, faded, slid, lightness].contains { $0.isMoving(at: time) }
  }

  /// Goes on to a later time, in seconds; an earlier one, or one that is not finite, changes nothing.
  public mutating func advance(to time: Double) {
    guard time.isFinite, time > self.time else { return }
    self.time = time
  }

  /// Takes note of what happens.
  /// Handles an event.
  /// - Parameters:
  ///   - event: the event.
  ///   - time: the time of the event, in seconds; earlier than the present counts as now.
  public mutating func handle(_ event: StatusBarEvent, at time: Double) {
    advance(to: time)
    switch event {
    case .willChangeOrientation(let orientation):
      turned.move(
        to: orientation.isPortrait ? 1 : 0, at: self.time, duration: timing.orientation)
    case .willChangeFrame(let size): change(to: size)
    case .activity(let activity):
      change(
        to: LayoutSize(width: bounds.to.width, height: metrics.height(during: activity)))
    case .content(let content, let duration): change(to: content, duration: duration)
    case .hidden(let hidden, let animation): change(toHidden: hidden, by: animation)
    case .appearance(let appearance, let duration):
      change(to: appearance.content, duration: duration)
      change(toHidden: appearance.isHidden, by: appearance.animation)
    }
  }

  private mutating func change(to size: LayoutSize) {
    let target = LayoutRect(origin: bounds.to.origin, size: size)
    guard target.isUsable else { return }
    bounds.move(to: target, at: time, duration: timing.frame)
  }

  private mutating func change(to content: StatusBarContent, duration: Double) {
    guard content != self.content else { return }
    self.content = content
    lightness.move(to: content == .light ? 1 : 0, at: time, duration: duration)
  }

  private mutating func change(toHidden hidden: Bool, by animation: StatusBarAnimation) {
    guard hidden != isHidden else { return }
    isHidden = hidden
    let isAway = faded.value(at: time) == 0 || slid.value(at: time) == 1
    let duration = animation == .none ? 0 : timing.hiding
    if hidden {
      // The other channel keeps what it is doing, so that nothing jumps.
      if animation == .slide {
        slid.move(to: 1, at: time, duration: duration)
      } else {
        faded.move(to: 0, at: time, duration: duration)
      }
      return
    }
    // What cannot be seen may begin where the animation wants it.
    if isAway {
      faded.set(animation == .slide ? 1 : 0)
      slid.set(animation == .slide ? 1 : 0)
    }
    faded.move(to: 1, at: time, duration: duration)
    slid.move(to: 0, at: time, duration: duration)
  }
}

/// An event for a blurred status bar.
public enum StatusBarEvent: Sendable, Hashable {
  /// The interface is about to turn. Upright or upside down the bar comes, else it goes.
  case willChangeOrientation(InterfaceOrientation)
  /// The system's bar is about to have another size, in points; the origin stays. A size that is
  /// not finite or below 0 is ignored.
  case willChangeFrame(LayoutSize)
  /// Something begins that makes the bar higher, or ends: its height is changed as by
  /// `willChangeFrame`.
  case activity(StatusBarMetrics.Activity)
  /// Text and symbols become black or white, within a number of seconds.
  case content(StatusBarContent, duration: Double = 0)
  /// The bar goes or comes. The animation is used only when that is a change.
  case hidden(Bool, StatusBarAnimation)
  /// A resolver's answer: content, within a number of seconds, and hidden.
  case appearance(StatusBarAppearance, duration: Double = 0)
}

/// An orientation of the interface.
public enum InterfaceOrientation: String, Sendable, Hashable, CaseIterable {
  case portrait, portraitUpsideDown, landscapeLeft, landscapeRight, unknown

  /// Upright or upside down.
  public var isPortrait: Bool { self == .portrait || self == .portraitUpsideDown }
}
