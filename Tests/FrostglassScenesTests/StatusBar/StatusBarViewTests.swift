import FrostglassScenes
import FrostglassCore
import Testing

struct StatusBarViewTests {
  @Test func beginsAsWideAsTheScreen() throws {
    let bar = try StatusBarView(width: 320)
    #expect(bar.frame == LayoutRect(x: 0, y: 0, width: 320, height: 20))
    #expect(bar.alpha == 1)
    #expect(bar.content == .dark)
    #expect(bar.contentLightness == 0)
    #expect(bar.isVisible)
    #expect(!bar.isAnimating)
  }

  @Test(arguments: InterfaceOrientation.allCases)
  func isThereUprightAndUpsideDownOnly(orientation: InterfaceOrientation) throws {
    var bar = try StatusBarView(width: 320)
    bar.handle(.willChangeOrientation(orientation), at: 1)
    bar.advance(to: 1.5)
    let isThere = orientation == .portrait || orientation == .portraitUpsideDown
    #expect(bar.alpha == (isThere ? 1 : 0))
    #expect(bar.isVisible == isThere)
  }

  @Test func fadesForHalfASecondWhenTurned() throws {
    var bar = try StatusBarView(width: 320)
    bar.handle(.willChangeOrientation(.landscapeLeft), at: 1)
    #expect(bar.alpha == 1)
    // 0.274375 of half a second is 0.15625 of the way.
    bar.advance(to: 1.1371875)
    #expect(abs(bar.alpha - 0.84375) < 1e-12)
    bar.advance(to: 1.25)
    #expect(abs(bar.alpha - 0.5) < 1e-12)
    #expect(bar.isAnimating)
    bar.advance(to: 1.5)
    #expect(bar.alpha == 0)
    #expect(!bar.isAnimating)
    bar.handle(.willChangeOrientation(.portraitUpsideDown), at: 3)
    bar.advance(to: 3.25)
    #expect(abs(bar.alpha - 0.5) < 1e-12)
    bar.advance(to: 3.5)
    #expect(bar.alpha == 1)
  }

  @Test func turnedBackMidwayGoesOnFromThere() throws {
    var bar = try StatusBarView(width: 320)
    bar.handle(.willChangeOrientation(.landscapeRight), at: 0)
    bar.handle(.willChangeOrientation(.portrait), at: 0.25)
    #expect(abs(bar.alpha - 0.5) < 1e-12)
    bar.advance(to: 0.5)
    #expect(abs(bar.alpha - 0.75) < 1e-12)
    bar.advance(to: 0.75)
    #expect(bar.alpha == 1)
  }

  @Test func takesANewSizeAndKeepsItsOrigin() throws {
    var bar = try StatusBarView(width: 320)
    bar.handle(.willChangeFrame(LayoutSize(width: 568, height: 40)), at: 2)
    bar.advance(to: 2.25)
    #expect(bar.frame == LayoutRect(x: 0, y: 0, width: 444, height: 30))
    bar.advance(to: 2.5)
    #expect(bar.frame == LayoutRect(x: 0, y: 0, width: 568, height: 40))
    for size in [(-1, 20), (20, .nan), (.infinity, 20)] {
      bar.handle(.willChangeFrame(LayoutSize(width: size.0, height: size.1)), at: 3)
    }
    bar.advance(to: 4)
    #expect(bar.frame == LayoutRect(x: 0, y: 0, width: 568, height: 40))
  }

  @Test func aCallMakesItHigherAndEndsMidway() throws {
    var bar = try StatusBarView(width: 320)
    bar.handle(.activity(.call), at: 0)
    bar.advance(to: 0.25)
    #expect(bar.frame.height == 30)
    bar.handle(.activity(.none), at: 0.25)
    #expect(bar.frame.height == 30)
    bar.advance(to: 0.5)
    #expect(bar.frame.height == 25)
    bar.advance(to: 0.75)
    #expect(bar.frame.height == 20)
  }

  @Test func fadesAway() throws {
    var bar = try StatusBarView(width: 320)
    bar.handle(.hidden(true, .fade), at: 0)
    #expect(bar.isHidden)
    bar.advance(to: 0.175)
    #expect(abs(bar.alpha - 0.5) < 1e-12)
    #expect(bar.frame.y == 0)
    bar.advance(to: 0.35)
    #expect(bar.alpha == 0)
    #expect(!bar.isVisible)
  }

  @Test func slidesUpByItsHeight() throws {
    var bar = try StatusBarView(width: 320, metrics: StatusBarMetrics(named: "notch-44"))
    bar.handle(.hidden(true, .slide), at: 0)
    bar.advance(to: 0.175)
    #expect(abs(bar.frame.y + 22) < 1e-12)
    #expect(bar.alpha == 1)
    bar.advance(to: 0.35)
    #expect(bar.frame.y == -44)
    #expect(!bar.isVisible)
    bar.handle(.hidden(false, .slide), at: 1)
    #expect(bar.frame.y == -44)
    bar.advance(to: 1.35)
    #expect(bar.frame.y == 0)
  }

  @Test func comesAndGoesAtOnceWithoutAnimation() throws {
    var bar = try StatusBarView(width: 320)
    bar.handle(.hidden(true, .none), at: 0)
    #expect(!bar.isVisible)
    #expect(!bar.isAnimating)
    bar.handle(.hidden(false, .none), at: 0)
    #expect(bar.isVisible)
    #expect(bar.alpha == 1)
  }

  /// Slid away, it comes by fading in place.
  @Test func comesInAnotherWayThanItWent() throws {
    var bar = try StatusBarView(width: 320)
    bar.handle(.hidden(true, .slide), at: 0)
    bar.handle(.hidden(false, .fade), at: 1)
    #expect(bar.frame.y == 0)
    #expect(bar.alpha == 0)
    bar.advance(to: 1.175)
    #expect(abs(bar.alpha - 0.5) < 1e-12)
    bar.handle(.hidden(true, .none), at: 2)
    bar.handle(.hidden(false, .slide), at: 3)
    #expect(bar.frame.y == -20)
    #expect(bar.alpha == 1)
  }

  /// Half slid away, it comes back from there, whatever the animation.
  @Test(arguments: [StatusBarAnimation.fade, .slide])
  func turnsBackMidwayWithoutAJump(animation: StatusBarAnimation) throws {
    var bar = try StatusBarView(width: 320)
    bar.handle(.hidden(true, .slide), at: 0)
    bar.handle(.hidden(false, animation), at: 0.175)
    #expect(abs(bar.frame.y + 10) < 1e-12)
    #expect(bar.alpha == 1)
    bar.advance(to: 0.35)
    #expect(abs(bar.frame.y + 5) < 1e-12)
    bar.advance(to: 0.525)
    #expect(bar.frame.y == 0)
  }

  @Test func theAnimationIsUsedOnlyWhenHiddenChanges() throws {
    var bar = try StatusBarView(width: 320)
    bar.handle(.hidden(false, .slide), at: 0)
    #expect(!bar.isAnimating)
    bar.handle(.hidden(true, .slide), at: 0)
    bar.advance(to: 0.1)
    let before = bar
    bar.handle(.hidden(true, .none), at: 0.1)
    #expect(bar == before)
  }

  @Test func contentChangesAtOnceOrAlong() throws {
    var bar = try StatusBarView(width: 320)
    bar.handle(.content(.light), at: 0)
    #expect(bar.content == .light)
    #expect(bar.contentLightness == 1)
    bar.handle(.content(.dark, duration: 2), at: 1)
    #expect(bar.content == .dark)
    bar.advance(to: 2)
    #expect(abs(bar.contentLightness - 0.5) < 1e-12)
  }

  @Test func followsAResolver() throws {
    var settings = AppearanceSettings()
    settings.isVerticallyCompact = true
    let appearance = StatusBarResolver(settings).resolve(
      StatusBarController("root", preferredStyle: .lightContent, updateAnimation: .slide))
    var bar = try StatusBarView(width: 320)
    bar.handle(.appearance(appearance), at: 0)
    #expect(bar.content == .light)
    bar.advance(to: 0.175)
    #expect(abs(bar.frame.y + 10) < 1e-12)
  }

  @Test func refusesWhatIsNoSize() {
    #expect(throws: StatusBarError.self) { try StatusBarView(width: .nan) }
    #expect(throws: StatusBarError.self) {
      try StatusBarView(width: 320, metrics: StatusBarMetrics(name: "x", height: -1))
    }
    let error = #expect(throws: StatusBarError.self) { try StatusBarView(width: -5) }
    #expect(
      error?.description
        == "a status bar's width cannot be -5.0; it can be from 0 to 1000000 points"
    )
  }
}

struct StatusBarMetricsTests {
  @Test func aPhoneWithAHomeButtonGrowsInACall() {
    #expect(StatusBarMetrics.classic.height(during: .none) == 20)
    #expect(StatusBarMetrics.classic.height(during: .call) == 40)
    #expect(StatusBarMetrics.classic.height(during: .location) == 40)
    #expect(StatusBarMetrics.classic.source == .documented)
  }

  @Test func notchedPhonesDoNot() throws {
    let notched = StatusBarMetrics.all.dropFirst()
    #expect(notched.map(\.height) == [44, 47, 48, 50, 54, 59])
    #expect(notched.allSatisfy { $0.height(during: .call) == $0.height })
    #expect(notched.allSatisfy { $0.source == .unverified })
    #expect(try StatusBarMetrics(named: "notch-47").height == 47)
  }

  @Test func anUnknownNameIsAnError() {
    let error = #expect(throws: StatusBarError.self) { try StatusBarMetrics(named: "notch-7") }
    #expect(
      error?.description == "no status bar is called “notch-7”; there are classic, notch-44, "
        + "notch-47, notch-48, notch-50, notch-54, notch-59")
  }
}
