/// A controller of an interface, as far as it has a say in the status bar: a node of a tree.
public struct StatusBarController: Sendable, Hashable {
  /// The controller's name in reasons.
  public var name: String
  /// Plain, navigating or containing.
  public var kind: Kind
  /// The preferred style of the content.
  public var preferredStyle: StatusBarStyle
  /// True if the controller prefers no bar; `nil` for a phone's default, which is no bar where there is little height.
  public var prefersHidden: Bool?
  /// The preferred animation of the bar.
  public var updateAnimation: StatusBarAnimation
  /// The style in which the controller was presented, if it was.
  public var presentationStyle: PresentationStyle
  /// True if the controller decides about the bar although it does not fill the screen.
  public var capturesStatusBarAppearance: Bool
  /// True if the controller and all it presents are being dismissed and no longer decide.
  public var isBeingDismissed: Bool

  /// One or none; a structure cannot hold itself but in an array.
  private var presentation: [StatusBarController]

  /// The controller that it presents.
  public var presented: StatusBarController? {
    get { presentation.first }
    set { presentation = newValue.map { [$0] } ?? [] }
  }

  /// The kind of a controller.
  public indirect enum Kind: Sendable, Hashable {
    case plain
    /// A navigation controller; the last controller of the stack is on top.
    case navigation(bar: NavigationBar, stack: [StatusBarController])
    /// Asks a child for the style and a child for being hidden; itself where there is none.
    case container(childForStyle: StatusBarController?, childForHidden: StatusBarController?)
  }

  /// The style in which a controller was presented. Only `fullScreen` takes the status bar over unasked.
  public enum PresentationStyle: String, Sendable, Hashable, CaseIterable {
    case fullScreen, overFullScreen, currentContext, overCurrentContext
    case pageSheet, formSheet, popover, alert, custom
  }

  /// A controller; what is left out is as UIKit has it.
  public init(
    _ name: String, kind: Kind = .plain, preferredStyle: StatusBarStyle = .default,
    prefersHidden: Bool? = nil, updateAnimation: StatusBarAnimation = .fade,
    presentationStyle: PresentationStyle = .pageSheet, capturesStatusBarAppearance: Bool = false,
    isBeingDismissed: Bool = false, presenting presented: StatusBarController? = nil
  ) {
    self.name = name
    self.kind = kind
    self.preferredStyle = preferredStyle
    self.prefersHidden = prefersHidden
    self.updateAnimation = updateAnimation
    self.presentationStyle = presentationStyle
    self.capturesStatusBarAppearance = capturesStatusBarAppearance
    self.isBeingDismissed = isBeingDismissed
    presentation = presented.map { [$0] } ?? []
  }

  /// True if the controller decides about the bar when it is presented.
  public var takesStatusBarOver: Bool {
    presentationStyle == .fullScreen || capturesStatusBarAppearance
  }
}

/// A navigation controller's bar, as far as it matters to the status bar.
///
/// Its tint color does not matter.
public struct NavigationBar: Sendable, Hashable {
  /// Without its bar, a navigation controller is passed over.
  public var isVisible: Bool
  /// The bar's look, which decides the status bar's style.
  public var style: Style

  /// The look of a navigation bar: bright or black.
  public enum Style: String, Sendable, Hashable, CaseIterable {
    /// A bright bar: `StatusBarStyle.default`, dark content in a light interface.
    case `default`
    /// A black bar: light content.
    case black
  }

  /// A navigation bar, bright unless it is said to be black.
  public init(isVisible: Bool = true, style: Style = .default) {
    self.isVisible = isVisible
    self.style = style
  }

  /// The status bar style for this navigation bar.
  public var statusBarStyle: StatusBarStyle { style == .black ? .lightContent : .default }
}
