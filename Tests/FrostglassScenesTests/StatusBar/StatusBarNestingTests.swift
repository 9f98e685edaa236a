import FrostglassScenes
import Testing

/// Controllers in controllers in controllers.
struct StatusBarNestingTests {
  private let light = StatusBarController(
    "light", preferredStyle: .lightContent, prefersHidden: false)
  private let hider = StatusBarController(
    "hider", preferredStyle: .darkContent, prefersHidden: true, updateAnimation: .none)

  private func owners(_ root: StatusBarController) -> [String] {
    let appearance = StatusBarResolver().resolve(root)
    return [appearance.styleOwner.description, appearance.hiddenOwner.description]
  }

  @Test func styleAndHiddenComeFromTwoChildren() {
    let root = StatusBarController(
      "root", kind: .container(childForStyle: light, childForHidden: hider),
      preferredStyle: .darkContent, updateAnimation: .slide)
    let appearance = StatusBarResolver().resolve(root)
    #expect(owners(root) == ["light", "hider"])
    #expect(appearance.content == .light)
    #expect(appearance.isHidden)
    #expect(appearance.animation == .none)
    #expect(appearance.styleSteps == [.child(of: "root", "light"), .preference(of: "light")])
  }

  @Test func aContainerThatNamesOneChildKeepsTheOtherQuestion() {
    #expect(
      owners(
        StatusBarController("root", kind: .container(childForStyle: light, childForHidden: nil)))
        == ["light", "root"])
    #expect(
      owners(
        StatusBarController("root", kind: .container(childForStyle: nil, childForHidden: hider)))
        == ["root", "hider"])
  }

  /// Container → navigation without bar → container: each level passes both questions on.
  @Test func containerInNavigationInContainer() {
    let inner = StatusBarController(
      "inner", kind: .container(childForStyle: light, childForHidden: hider))
    let navigation = StatusBarController(
      "navigation", kind: .navigation(bar: NavigationBar(isVisible: false), stack: [inner]))
    let root = StatusBarController(
      "root", kind: .container(childForStyle: navigation, childForHidden: navigation))
    #expect(owners(root) == ["light", "hider"])
    #expect(
      StatusBarResolver().resolve(root).styleSteps == [
        .child(of: "root", "navigation"), .topOfStack(of: "navigation", "inner"),
        .child(of: "inner", "light"), .preference(of: "light"),
      ])
  }

  /// A navigation controller that shows its bar does not ask what is inside.
  @Test func aVisibleBarEndsTheWayDown() {
    let inner = StatusBarController(
      "inner", kind: .container(childForStyle: light, childForHidden: hider))
    let navigation = StatusBarController(
      "navigation", kind: .navigation(bar: NavigationBar(style: .black), stack: [inner]))
    let root = StatusBarController(
      "root", kind: .container(childForStyle: navigation, childForHidden: hider))
    #expect(owners(root) == ["navigation", "hider"])
  }

  /// Style through one navigation controller, hidden through another that shows its bar.
  @Test func theTwoQuestionsTakeDifferentWays() {
    let open = StatusBarController(
      "open", kind: .navigation(bar: NavigationBar(isVisible: false), stack: [light]))
    let shut = StatusBarController("shut", kind: .navigation(bar: NavigationBar(), stack: [hider]))
    let root = StatusBarController(
      "root", kind: .container(childForStyle: open, childForHidden: shut))
    #expect(owners(root) == ["light", "shut"])
  }

  /// A modal, full screen, that is a navigation controller without a bar, whose top presents a
  /// sheet that captures.
  @Test func theSameRulesHoldInsideAModal() {
    var sheet = hider
    sheet.capturesStatusBarAppearance = true
    let top = StatusBarController("top", presenting: sheet)
    let modal = StatusBarController(
      "modal", kind: .navigation(bar: NavigationBar(isVisible: false), stack: [light, top]),
      presentationStyle: .fullScreen)
    #expect(owners(StatusBarController("root", presenting: modal)) == ["hider", "hider"])
  }

  /// Modals come before navigation bars and children.
  @Test func aModalOfANavigationControllerComesFirst() {
    var modal = light
    modal.presentationStyle = .fullScreen
    let navigation = StatusBarController(
      "navigation", kind: .navigation(bar: NavigationBar(), stack: [hider]), presenting: modal)
    let root = StatusBarController(
      "root", kind: .container(childForStyle: navigation, childForHidden: hider))
    #expect(owners(root) == ["light", "hider"])
  }

  /// Full screen, and a sheet on that: the sheet leaves it to what it was presented by.
  @Test func aSheetOnAFullScreenModal() {
    let sheet = StatusBarController("sheet", preferredStyle: .darkContent)
    var modal = light
    modal.presentationStyle = .fullScreen
    modal.presented = sheet
    let appearance = StatusBarResolver().resolve(StatusBarController("root", presenting: modal))
    #expect(appearance.styleOwner == .controller("light"))
    #expect(
      appearance.styleSteps == [
        .presented(by: "root", "light", .fullScreen), .notTakenOver(by: "sheet", .pageSheet),
        .preference(of: "light"),
      ])
  }

  /// A sheet, and full screen on that: the last that takes the bar over decides.
  @Test func aFullScreenModalOnASheet() {
    var modal = hider
    modal.presentationStyle = .fullScreen
    let sheet = StatusBarController("sheet", presenting: modal)
    let appearance = StatusBarResolver().resolve(StatusBarController("root", presenting: sheet))
    #expect(appearance.styleOwner == .controller("hider"))
    #expect(
      appearance.styleSteps == [
        .presented(by: "sheet", "hider", .fullScreen), .preference(of: "hider"),
      ])
  }

  /// Three modals, the topmost being dismissed: the second decides.
  @Test func underADismissedModal() {
    var top = hider
    top.presentationStyle = .fullScreen
    top.isBeingDismissed = true
    var second = light
    second.presentationStyle = .fullScreen
    second.presented = top
    let first = StatusBarController("first", presentationStyle: .fullScreen, presenting: second)
    #expect(owners(StatusBarController("root", presenting: first)) == ["light", "light"])
  }

  @Test func reasonsAreSentences() {
    let steps: [StatusBarStep] = [
      .launchScreen, .applicationWide(byCall: true), .applicationWide(byCall: false),
      .presented(by: "a", "b", .fullScreen), .presented(by: "a", "b", .popover),
      .notTakenOver(by: "b", .alert), .beingDismissed("b"), .navigationBar(of: "a", .black),
      .topOfStack(of: "a", "b"), .child(of: "a", "b"), .preference(of: "a"),
      .compactDefault(of: "a"), .visibleDefault(of: "a"),
    ]
    #expect(Set(steps.map(\.description)).count == steps.count)
    #expect(
      steps[4].description == "b, presented by a as popover, captures the status bar")
  }
}
