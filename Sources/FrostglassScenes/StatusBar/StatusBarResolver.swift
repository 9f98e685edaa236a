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
