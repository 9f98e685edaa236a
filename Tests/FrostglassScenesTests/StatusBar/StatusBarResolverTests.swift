import FrostglassScenes
import Testing

/// The rows of the table of rules, one after another, then what they say together.
struct StatusBarResolverTests {
  private let quiet = StatusBarController("quiet")
  private let loud = StatusBarController(
    "loud", preferredStyle: .lightContent, prefersHidden: true, updateAnimation: .slide)

  private func resolve(
    _ root: StatusBarController, _ change: (inout AppearanceSettings) -> Void = { _ in }
  ) -> StatusBarAppearance {
    var settings = AppearanceSettings()
    change(&settings)
    return StatusBarResolver(settings).resolve(root)
  }

  @Test func aPlainControllerDecides() {
    let appearance = resolve(loud)
    #expect(appearance.style == .lightContent)
    #expect(appearance.content == .light)
    #expect(appearance.isHidden)
    #expect(appearance.animation == .slide)
    #expect(appearance.styleOwner == .controller("loud"))
    #expect(appearance.hiddenOwner == .controller("loud"))
    #expect(appearance.styleSteps == [.preference(of: "loud")])
    #expect(appearance.hiddenSteps == [.preference(of: "loud")])
  }

  @Test func byDefaultTheBarIsBlackVisibleAndFades() {
    let appearance = resolve(quiet)
    #expect(appearance.content == .dark)
    #expect(!appearance.isHidden)
    #expect(appearance.animation == .fade)
    #expect(appearance.hiddenSteps == [.visibleDefault(of: "quiet")])
  }

  @Test(arguments: NavigationBar.Style.allCases)
  func aVisibleNavigationBarDecides(style: NavigationBar.Style) {
    let navigation = StatusBarController(
      "navigation", kind: .navigation(bar: NavigationBar(style: style), stack: [loud]),
      preferredStyle: .darkContent, prefersHidden: true, updateAnimation: .none)
    let appearance = resolve(navigation)
    #expect(appearance.content == (style == .black ? .light : .dark))
    #expect(appearance.isHidden)
    #expect(appearance.animation == .none)
    #expect(appearance.styleOwner == .controller("navigation"))
    #expect(appearance.styleSteps == [.navigationBar(of: "navigation", style)])
  }

  @Test func aHiddenNavigationBarLeavesItToTheTopOfTheStack() {
    let navigation = StatusBarController(
      "navigation",
      kind: .navigation(
        bar: NavigationBar(isVisible: false, style: .default), stack: [quiet, loud]),
      preferredStyle: .darkContent, prefersHidden: false)
    let appearance = resolve(navigation)
    #expect(appearance.content == .light)
    #expect(appearance.isHidden)
    #expect(appearance.animation == .slide)
    #expect(
      appearance.styleSteps == [
        .topOfStack(of: "navigation", "loud"), .preference(of: "loud"),
      ])
  }

  @Test func anEmptyStackLeavesItToNobody() {
    let navigation = StatusBarController(
      "navigation", kind: .navigation(bar: NavigationBar(isVisible: false), stack: []),
      preferredStyle: .lightContent)
    #expect(resolve(navigation).content == .light)
    #expect(resolve(navigation).styleOwner == .controller("navigation"))
  }

  @Test func aFullScreenModalDecides() {
    var modal = loud
    modal.presentationStyle = .fullScreen
    let root = StatusBarController("root", preferredStyle: .darkContent, presenting: modal)
    let appearance = resolve(root)
    #expect(appearance.content == .light)
    #expect(appearance.isHidden)
    #expect(appearance.animation == .slide)
    #expect(
      appearance.hiddenSteps == [
        .presented(by: "root", "loud", .fullScreen), .preference(of: "loud"),
      ])
  }

  @Test(
    arguments: StatusBarController.PresentationStyle.allCases.filter { $0 != .fullScreen },
    [false, true])
  func otherModalsDecideOnlyIfTheyCapture(
    style: StatusBarController.PresentationStyle, captures: Bool
  ) {
    var modal = loud
    modal.presentationStyle = style
    modal.capturesStatusBarAppearance = captures
    let root = StatusBarController("root", preferredStyle: .darkContent, presenting: modal)
    let appearance = resolve(root)
    #expect(appearance.styleOwner == .controller(captures ? "loud" : "root"))
    #expect(appearance.hiddenOwner == .controller(captures ? "loud" : "root"))
    #expect(appearance.isHidden == captures)
    let first: StatusBarStep =
      captures ? .presented(by: "root", "loud", style) : .notTakenOver(by: "loud", style)
    #expect(appearance.styleSteps.first == first)
  }

  @Test func aModalIsASheetUnlessItSaysOtherwise() {
    #expect(StatusBarController("modal").presentationStyle == .pageSheet)
    #expect(!StatusBarController("modal").takesStatusBarOver)
  }

  @Test func withoutControllersTheApplicationDecides() {
    let declared = resolve(loud) {
      $0.isControllerBased = false
      $0.declaredStyle = .darkContent
      $0.declaredHidden = false
      $0.isVerticallyCompact = true
    }
    #expect(declared.content == .dark)
    #expect(!declared.isHidden)
    #expect(declared.animation == .fade)
    #expect(declared.styleOwner == .application)
    #expect(declared.styleSteps == [.applicationWide(byCall: false)])

    let called = resolve(quiet) {
      $0.isControllerBased = false
      $0.calledStyle = .lightContent
      $0.calledHidden = true
      $0.animation = .slide
    }
    #expect(called.content == .light)
    #expect(called.isHidden)
    #expect(called.animation == .slide)
    #expect(called.hiddenSteps == [.applicationWide(byCall: true)])
  }

  @Test func callsAreIgnoredWhereControllersDecide() {
    let appearance = resolve(quiet) {
      $0.calledStyle = .lightContent
      $0.calledHidden = true
      $0.declaredStyle = .lightContent
      $0.declaredHidden = true
    }
    #expect(appearance.content == .dark)
    #expect(!appearance.isHidden)
  }

  @Test(arguments: [false, true])
  func theLaunchScreenShowsWhatIsDeclared(isControllerBased: Bool) {
    let appearance = resolve(quiet) {
      $0.isLaunching = true
      $0.isControllerBased = isControllerBased
      $0.declaredStyle = .lightContent
      $0.declaredHidden = true
      $0.calledStyle = .darkContent
      $0.calledHidden = false
    }
    #expect(appearance.content == .light)
    #expect(appearance.isHidden)
    #expect(appearance.styleOwner == .launchScreen)
    #expect(appearance.styleOwner.description == "launch screen")
  }

  @Test func littleHeightHidesTheBarUnlessAControllerSaysOtherwise() {
    let hidden = resolve(quiet) { $0.isVerticallyCompact = true }
    #expect(hidden.isHidden)
    #expect(hidden.hiddenSteps == [.compactDefault(of: "quiet")])
    var shown = quiet
    shown.prefersHidden = false
    #expect(!resolve(shown) { $0.isVerticallyCompact = true }.isHidden)
  }

  @Test(arguments: [false, true])
  func theDefaultStyleFollowsTheInterface(isDark: Bool) {
    func content(_ style: StatusBarStyle) -> StatusBarContent {
      resolve(StatusBarController("c", preferredStyle: style)) { $0.isDarkInterface = isDark }
        .content
    }
    #expect(content(.default) == (isDark ? .light : .dark))
    #expect(content(.darkContent) == .dark)
    #expect(content(.lightContent) == .light)
  }

  @Test func aModalOnItsWayOutHasNoSayAndTakesWhatItPresentsWithIt() {
    var modal = StatusBarController("modal", presentationStyle: .fullScreen, isBeingDismissed: true)
    var top = loud
    top.presentationStyle = .fullScreen
    modal.presented = top
    let appearance = resolve(StatusBarController("root", presenting: modal))
    #expect(appearance.styleOwner == .controller("root"))
    #expect(appearance.styleSteps == [.beingDismissed("modal"), .preference(of: "root")])
  }
}
