/// A controller of an interface, as far as it has a say in the status bar: a node of a tree.
public struct StatusBarController: Sendable, Hashable {
  /// What it is called in reasons.
  public var name: String
  /// Plain, navigating or containing.
  public var kind: Kind
  /// What it wants the content to be.
  public var preferredStyle: StatusBarStyle
  /// Whether it wants no bar; `nil` for a phone's default, which is no bar where there is little
  /// height.
  public var prefersHidden: Bool?
  /// How it wants the bar to come and go.
  public var updateAnimation: StatusBarAnimation
  /// How it was presented, if it was.
  public var presentationStyle: PresentationStyle
  /// Whether it decides about the bar although it does not fill the screen.
  public var capturesStatusBarAppearance: Bool
  /// Whether it, with all it presents, is on its way out and has no say any more.
  public var isBeingDismissed: Bool

  /// One or none; a structure cannot hold itself but in an array.
  private var presentation: [StatusBarController]

  /// The controller that it presents.
  public var presented: StatusBarController? {
    get { presentation.first }
    set { presentation = newValue.map { [$0] } ?? [] }
  }

  /// What a controller is made of.
  public indirect enum Kind: Sendable, Hashable {
    case plain
    /// A navigation controller; the last controller of the stack is on top.
    case navigation(bar: NavigationBar, stack: [StatusBarController])
    /// Asks a child for the style and a child for being hidden; itself where there is none.
    case container(childForStyle: StatusBarController?, childForHidden: StatusBarController?)
  }

  /// How a controller was presented. Only `fullScreen` takes the status bar over by itself.
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

  /// Whether it decides about the bar when it is presented.
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
  /// What its look asks of the status bar.
  public var style: Style

  /// Whether a bar is bright or black.
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

  /// What it makes the status bar's content.
  public var statusBarStyle: StatusBarStyle { style == .black ? .lightContent : .default }
}
