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

/// Finds out what a status bar looks like from a tree of controllers, as iOS does.
public struct StatusBarResolver: Sendable, Hashable {
  /// The settings of the device and the app.
  public var settings: AppearanceSettings

  /// A resolver under these settings.
  public init(_ settings: AppearanceSettings = AppearanceSettings()) {
    self.settings = settings
  }

  /// The appearance for a window's root controller.
  public func resolve(_ root: StatusBarController) -> StatusBarAppearance {
    guard settings.isControllerBased, !settings.isLaunching else { return withoutControllers }
    let forStyle = decider(from: root, for: .style)
    let forHidden = decider(from: root, for: .hidden)
    let style = forStyle.controller.styleShown
    return StatusBarAppearance(
      style: style, content: style.content(inDarkInterface: settings.isDarkInterface),
      isHidden: forHidden.controller.prefersHidden ?? settings.isVerticallyCompact,
      animation: forHidden.controller.updateAnimation,
      styleOwner: .controller(forStyle.controller.name),
      hiddenOwner: .controller(forHidden.controller.name),
      styleSteps: forStyle.steps + forStyle.controller.styleSteps,
      hiddenSteps: forHidden.steps + [hiddenStep(of: forHidden.controller)])
  }

  /// The appearance without controllers: as declared at launch, otherwise as declared or set for the whole application.
  private var withoutControllers: StatusBarAppearance {
    let isLaunching = settings.isLaunching
    let style = (isLaunching ? nil : settings.calledStyle) ?? settings.declaredStyle
    let hidden = (isLaunching ? nil : settings.calledHidden) ?? settings.declaredHidden
    let owner = isLaunching ? StatusBarAppearance.Owner.launchScreen : .application
    return StatusBarAppearance(
      style: style, content: style.content(inDarkInterface: settings.isDarkInterface),
      isHidden: hidden, animation: settings.animation, styleOwner: owner, hiddenOwner: owner,
      styleSteps: [
        isLaunching ? .launchScreen : .applicationWide(byCall: settings.calledStyle != nil)
      ],
      hiddenSteps: [
        isLaunching ? .launchScreen : .applicationWide(byCall: settings.calledHidden != nil)
      ])
  }

  private func hiddenStep(of controller: StatusBarController) -> StatusBarStep {
    guard controller.prefersHidden == nil else { return .preference(of: controller.name) }
    return settings.isVerticallyCompact
      ? .compactDefault(of: controller.name) : .visibleDefault(of: controller.name)
  }

  /// Style and being hidden may come from different controllers.
  private enum Question { case style, hidden }

  /// Goes down the tree to the controller that answers.
  private func decider(
    from root: StatusBarController, for question: Question
  ) -> (controller: StatusBarController, steps: [StatusBarStep]) {
    var controller = root
    var steps: [StatusBarStep] = []
    while true {
      let (taker, seen) = controller.presentedTaker
      steps += seen
      if let taker {
        controller = taker
        continue
      }
      guard let next = controller.next(for: question == .style) else { return (controller, steps) }
      steps.append(next.step)
      controller = next.controller
    }
  }
}

/// An application's settings for the status bar, and its surroundings.
public struct AppearanceSettings: Sendable, Hashable {
  /// True if controllers decide, as with an absent key.
  public var isControllerBased = true
  /// True if the launch screen is shown, which no controller affects.
  public var isLaunching = false
  /// The declared style, used at launch and without controllers.
  public var declaredStyle = StatusBarStyle.default
  /// True if the bar is declared hidden, used at launch and without controllers.
  public var declaredHidden = false
  /// The style set by a call, instead of the declared one; ignored where controllers decide.
  public var calledStyle: StatusBarStyle?
  /// True if a call hid the bar; ignored where controllers decide.
  public var calledHidden: Bool?
  /// The animation of the bar where no controller decides.
  public var animation = StatusBarAnimation.fade
  /// True if the height is as small as on a phone on its side; controllers then hide the bar unless they say otherwise.
  public var isVerticallyCompact = false
  /// True if the interface is dark, which `StatusBarStyle.default` follows.
  public var isDarkInterface = false

  /// The settings of a phone in portrait, in a light interface.
  public init() {}
}

extension StatusBarController {
  /// The last of the controllers it presents, one on another, that takes the status bar over. What
  /// is above that one leaves it alone; what is on its way out takes all above with it.
  fileprivate var presentedTaker: (taker: StatusBarController?, steps: [StatusBarStep]) {
    var taker: StatusBarController?
    var steps: [StatusBarStep] = []
    var presenter = self
    while let next = presenter.presented {
      if next.isBeingDismissed {
        steps.append(.beingDismissed(next.name))
        break
      }
      if next.takesStatusBarOver {
        steps = [.presented(by: presenter.name, next.name, next.presentationStyle)]
        taker = next
      } else {
        steps.append(.notTakenOver(by: next.name, next.presentationStyle))
      }
      presenter = next
    }
    guard let taker else { return (nil, steps) }
    // Those above the taker are told when the taker itself is looked at.
    return (taker, Array(steps.prefix(1)))
  }

  /// The controller that it leaves the decision to; `nil` if it decides itself.
  fileprivate func next(for style: Bool) -> (controller: StatusBarController, step: StatusBarStep)?
  {
    switch kind {
    case .plain: return nil
    case .navigation(let bar, let stack):
      guard !bar.isVisible, let top = stack.last else { return nil }
      return (top, .topOfStack(of: name, top.name))
    case .container(let forStyle, let forHidden):
      return (style ? forStyle : forHidden).map { ($0, .child(of: name, $0.name)) }
    }
  }

  /// The style it stands for: its bar's, if it shows one.
  fileprivate var styleShown: StatusBarStyle {
    if case .navigation(let bar, _) = kind, bar.isVisible { return bar.statusBarStyle }
    return preferredStyle
  }

  fileprivate var styleSteps: [StatusBarStep] {
    if case .navigation(let bar, _) = kind, bar.isVisible {
      return [.navigationBar(of: name, bar.style)]
    }
    return [.preference(of: name)]
  }
}
