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

/// A status bar's appearance, with its owners and reasons.
public struct StatusBarAppearance: Sendable, Hashable {
  /// The style that was asked for.
  public var style: StatusBarStyle
  /// The resulting text and symbols: black or white.
  public var content: StatusBarContent
  /// True if there is no bar.
  public var isHidden: Bool
  /// The animation of the bar if hiding changes.
  public var animation: StatusBarAnimation
  /// The owner that decided the style.
  public var styleOwner: Owner
  /// The owner that decided hiding, and the animation.
  public var hiddenOwner: Owner
  /// The steps that led to the style; the last one decided.
  public var styleSteps: [StatusBarStep]
  /// The steps that led to hiding; the last one decided.
  public var hiddenSteps: [StatusBarStep]

  /// An owner of a status bar's appearance.
  public enum Owner: Sendable, Hashable, CustomStringConvertible {
    case launchScreen
    case application
    /// A controller of this name.
    case controller(String)

    /// The owner's name in messages.
    public var description: String {
      switch self {
      case .launchScreen: "launch screen"
      case .application: "application"
      case .controller(let name): name
      }
    }
  }
}

/// The style of text and symbols that a controller requests of a status bar.
public enum StatusBarStyle: String, Sendable, Hashable, CaseIterable {
  /// Dark on a light interface, light on a dark one. Before iOS 13 always dark.
  case `default`
  case lightContent
  case darkContent

  /// Returns the content for this style in a light or a dark interface.
  public func content(inDarkInterface isDark: Bool) -> StatusBarContent {
    switch self {
    case .default: isDark ? .light : .dark
    case .lightContent: .light
    case .darkContent: .dark
    }
  }
}

/// The color of a status bar's text and symbols: black or white.
public enum StatusBarContent: String, Sendable, Hashable, CaseIterable {
  /// Black, for a bright backdrop.
  case dark
  /// White, for a dark backdrop.
  case light
}

/// The animation with which a status bar is hidden or shown.
public enum StatusBarAnimation: String, Sendable, Hashable, CaseIterable {
  /// At once.
  case none
  /// Its alpha changes.
  case fade
  /// It moves up by its height, and down again.
  case slide
}

/// A step on the way to the controller that decides about a status bar.
public enum StatusBarStep: Sendable, Hashable {
  /// No controller is asked: the launch screen is shown.
  case launchScreen
  /// No controller is asked: the application decides for all.
  case applicationWide(byCall: Bool)
  /// From a controller to one that it presents, directly or not, and that takes the bar over.
  case presented(by: String, String, StatusBarController.PresentationStyle)
  /// The presented controller does not take the bar over.
  case notTakenOver(by: String, StatusBarController.PresentationStyle)
  /// The presented controller is being dismissed.
  case beingDismissed(String)
  /// The navigation controller's bar is shown, so it decides.
  case navigationBar(of: String, NavigationBar.Style)
  /// From a navigation controller without a bar to the top of its stack.
  case topOfStack(of: String, String)
  /// From a container to the child that it names.
  case child(of: String, String)
  /// The controller says it itself.
  case preference(of: String)
  /// The controller says nothing; without much height the default is no bar.
  case compactDefault(of: String)
  /// The controller says nothing; the default is a bar.
  case visibleDefault(of: String)
}

extension StatusBarStep: CustomStringConvertible {
  /// The step in words.
  public var description: String {
    switch self {
    case .launchScreen: "the launch screen shows what is declared"
    case .applicationWide(let byCall):
      byCall ? "the application has set it for all" : "the application declares it for all"
    case .presented(let presenter, let name, let style):
      style == .fullScreen
        ? "\(name), presented by \(presenter), fills the screen"
        : "\(name), presented by \(presenter) as \(style.rawValue), captures the status bar"
    case .notTakenOver(let name, let style):
      "\(name), presented as \(style.rawValue), leaves the status bar alone"
    case .beingDismissed(let name): "\(name) is being dismissed"
    case .navigationBar(let name, let style):
      "\(name) shows its navigation bar, of style \(style.rawValue)"
    case .topOfStack(let name, let top):
      "\(name) hides its navigation bar; \(top) is on top of its stack"
    case .child(let name, let child): "\(name) names its child \(child)"
    case .preference(let name): "\(name) prefers it"
    case .compactDefault(let name):
      "\(name) does not say; with little height the default is no status bar"
    case .visibleDefault(let name): "\(name) does not say; the default is a status bar"
    }
  }
}

/// The height of a status bar, in points.
public struct StatusBarMetrics: Sendable, Hashable {
  /// The name of the metrics, such as `classic` or `notch-47`.
  public var name: String
  /// The height as a rule.
  public var height: Double
  /// The height during a call or while an application uses the location in the background.
  public var extendedHeight: Double
  /// The reliability of the heights.
  public var source: Source

  /// The reliability of a height.
  public enum Source: String, Sendable, Hashable, CaseIterable {
    /// Described by the platform's documentation or by those who measured it.
    case documented
    /// Reported, but not checked on a device.
    case unverified
  }

  /// An activity that makes a status bar higher.
  public enum Activity: String, Sendable, Hashable, CaseIterable {
    case none, call, location
  }

  /// - Parameters:
  ///   - name: the name of the metrics.
  ///   - height: in points; 0 for no bar.
  ///   - extendedHeight: the height during a call; the same without one.
  ///   - source: the reliability of the heights.
  public init(
    name: String, height: Double, extendedHeight: Double? = nil, source: Source = .unverified
  ) {
    self.name = name
    self.height = height
    self.extendedHeight = extendedHeight ?? height
    self.source = source
  }

  /// Phones with a home button: 20 points, 40 in a call.
  public static let classic = StatusBarMetrics(
    name: "classic", height: 20, extendedHeight: 40, source: .documented)

  /// Every height that is known. A notched phone has room for a mark beside its clock: its bar does
  /// not grow in a call.
  public static let all =
    [classic]
    + [44, 47, 48, 50, 54, 59].map { height in
      StatusBarMetrics(name: "notch-\(Int(height))", height: height)
    }

  /// The metrics of a name.
  ///
  /// - Throws: `StatusBarError.unknownMetrics` with the names there are.
  public init(named name: String) throws(StatusBarError) {
    guard let metrics = StatusBarMetrics.all.first(where: { $0.name == name }) else {
      throw .unknownMetrics(name, known: StatusBarMetrics.all.map(\.name))
    }
    self = metrics
  }

  /// The height while something goes on.
  public func height(during activity: Activity) -> Double {
    activity == .none ? height : extendedHeight
  }
}

/// Why there is no such status bar.
public enum StatusBarError: Error, Sendable, Hashable, CustomStringConvertible {
  case unknownMetrics(String, known: [String])
  case badValue(name: String, value: Double, accepted: String)

  /// The error message.
  public var description: String {
    switch self {
    case .unknownMetrics(let name, let known):
      "no status bar is called “\(name)”; there are \(known.joined(separator: ", "))"
    case .badValue(let name, let value, let accepted):
      "a status bar's \(name) cannot be \(value); it can be \(accepted)"
    }
  }
}
