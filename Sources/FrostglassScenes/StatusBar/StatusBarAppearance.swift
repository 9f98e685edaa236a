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
