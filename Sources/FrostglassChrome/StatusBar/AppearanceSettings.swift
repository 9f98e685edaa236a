/// What an application declares about the status bar, and its surroundings.
public struct AppearanceSettings: Sendable, Hashable {
  /// Whether controllers decide; as a key that is absent, yes.
  public var isControllerBased = true
  /// Whether the launch screen is shown, of which no controller knows.
  public var isLaunching = false
  /// The declared style, used at launch and without controllers.
  public var declaredStyle = StatusBarStyle.default
  /// Whether the bar is declared hidden, used at launch and without controllers.
  public var declaredHidden = false
  /// The style set by a call, instead of the declared one; ignored where controllers decide.
  public var calledStyle: StatusBarStyle?
  /// Whether the bar was hidden by a call; ignored where controllers decide.
  public var calledHidden: Bool?
  /// How it comes and goes where no controller decides.
  public var animation = StatusBarAnimation.fade
  /// Whether there is as little height as on a phone on its side; controllers then hide the bar
  /// unless they say otherwise.
  public var isVerticallyCompact = false
  /// Whether the interface is dark, which `StatusBarStyle.default` follows.
  public var isDarkInterface = false

  public init() {}
}
