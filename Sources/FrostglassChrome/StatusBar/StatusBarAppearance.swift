/// What a status bar looks like, who decided it, and why.
public struct StatusBarAppearance: Sendable, Hashable {
  /// The style that was asked for.
  public var style: StatusBarStyle
  /// What it comes to: black or white text and symbols.
  public var content: StatusBarContent
  public var isHidden: Bool
  /// How the bar comes and goes if that is a change.
  public var animation: StatusBarAnimation
  /// Who decided the style.
  public var styleOwner: Owner
  /// Who decided whether it is hidden, and the animation.
  public var hiddenOwner: Owner
  /// How the style was found, step by step; the last step decided.
  public var styleSteps: [StatusBarStep]
  /// How being hidden was found.
  public var hiddenSteps: [StatusBarStep]

  /// Who decides about a status bar.
  public enum Owner: Sendable, Hashable, CustomStringConvertible {
    case launchScreen
    case application
    /// A controller of this name.
    case controller(String)

    public var description: String {
      switch self {
      case .launchScreen: "launch screen"
      case .application: "application"
      case .controller(let name): name
      }
    }
  }
}
