import FrostglassScenes
import FrostglassCore
import Testing

/// The times at which a view captures its backdrop.
struct BackdropCaptureTests {
  private let parent = LayoutRect(x: 0, y: 0, width: 320, height: 568)

  private func loaded(_ arrival: BackdropSettings.Arrival = .drop) throws -> BackdropView {
    var view = BackdropView(try BackdropSettings(arrival: arrival))
    view.handle(.load(parent: parent), at: 0)
    return view
  }

  @Test func aFirstBlurMakesItStatic() throws {
    var view = try loaded()
    #expect(view.mode == .undefined)
    let effects = view.handle(.blur(.standard), at: 1)
    #expect(view.mode == .static)
    #expect(effects.captureTimes == [1])
    #expect(view.capturedAt == 1)
    #expect(!view.hasTimer)
    #expect(view.advance(to: 100) == [])
  }

  @Test func aStaticViewLooksAgainOnArrival() throws {
    var view = try loaded()
    view.handle(.blur(.standard), at: 1)
    #expect(view.handle(.slideDown, at: 2) == [])
    #expect(view.advance(to: 2.2) == [])
    #expect(view.capturedAt == 1)
    let effects = view.advance(to: 2.5)
    #expect(effects.first == .arrived)
    // When it arrived, not when that was noticed.
    #expect(effects.captureTimes == [2.25])
    #expect(view.capturedAt == 2.25)
  }

  @Test func leavingBeforeItArrivedLooksAtNothing() throws {
    var view = try loaded()
    view.handle(.blur(.standard), at: 0)
    view.handle(.slideDown, at: 1)
    view.handle(.slideUp, at: 1.2)
    #expect(view.advance(to: 9) == [.left])
    #expect(view.capturedAt == 0)
  }

  @Test func laterBlursReplaceTheLook() throws {
    var view = try loaded()
    view.handle(.blur(.standard), at: 0)
    let dark = try BackdropLook(filters: FilterChain(text: "7blur-dark()"), cornerRadius: 6)
    #expect(view.handle(.blur(dark), at: 1).captureTimes == [1])
    #expect(view.look == dark)
    #expect(view.mode == .static)
  }

  @Test func liveLooksNowAndAtEveryTick() throws {
    var view = try loaded(.fixed)
    let effects = view.handle(.blurLive(.standard, interval: 0.2), at: 1)
    #expect(view.mode == .live(interval: 0.2))
    #expect(effects.first == .startTimer(interval: 0.2))
    #expect(effects.captureTimes == [1])
    var times: [Double] = []
    for step in 1...120 { times += view.advance(to: 1 + Double(step) / 120).captureTimes }
    #expect(times.count == 5)
    for (index, time) in times.enumerated() {
      #expect(abs(time - (1.2 + 0.2 * Double(index))) < 1e-9)
    }
  }

  @Test func missedTicksAreOneCapture() throws {
    var view = try loaded(.fixed)
    view.handle(.blurLive(.standard, interval: 0.25), at: 0)
    #expect(view.advance(to: 10.1).captureTimes == [10])
    #expect(view.advance(to: 10.2) == [])
    #expect(view.advance(to: 10.25).captureTimes == [10.25])
    #expect(view.nextMoment == 10.5)
  }

  @Test func aSecondLiveCallReplacesTheTimer() throws {
    var view = try loaded(.fixed)
    var timers = view.handle(.blurLive(.standard, interval: 0.2), at: 0).timers
    #expect(timers == 1)
    view.advance(to: 0.9)
    let effects = view.handle(.blurLive(.standard, interval: 0.5), at: 1)
    timers += effects.timers
    #expect(timers == 1)
    #expect(effects.first == .stopTimer)
    #expect(view.advance(to: 1.49) == [])
    #expect(view.advance(to: 1.5).captureTimes == [1.5])
  }

  @Test func aBlurOfALiveViewLeavesItLive() throws {
    var view = try loaded(.fixed)
    view.handle(.blurLive(.standard, interval: 0.2), at: 0)
    let dark = try BackdropLook(filters: FilterChain(text: "7blur-dark()"))
    #expect(view.handle(.blur(dark), at: 0.1).captureTimes == [0.1])
    #expect(view.mode == .live(interval: 0.2))
    #expect(view.hasTimer)
    #expect(view.look == dark)
  }

  @Test func slidingUpStopsTheTimerAndDownStartsIt() throws {
    var view = try loaded()
    // Away, it looks once and waits.
    let first = view.handle(.blurLive(.standard, interval: 0.2), at: 0)
    #expect(first.captureTimes == [0])
    #expect(first.timers == 0)
    #expect(view.advance(to: 5) == [])
    let down = view.handle(.slideDown, at: 5)
    #expect(down.timers == 1)
    #expect(down.captureTimes == [5])
    view.advance(to: 5.4)
    #expect(view.handle(.slideUp, at: 5.5) == [.stopTimer])
    #expect(view.mode == .live(interval: 0.2))
    #expect(view.advance(to: 9) == [.left])
    #expect(abs((view.capturedAt ?? 0) - 5.4) < 1e-9)
    #expect(view.handle(.slideDown, at: 9).timers == 1)
  }

  @Test func arrivingLiveDoesNotLookAgain() throws {
    var view = try loaded()
    view.handle(.blurLive(.standard, interval: 1), at: 0)
    view.handle(.slideDown, at: 1)
    #expect(view.advance(to: 1.5) == [.arrived])
  }

  @Test func fromLiveToStaticKeepsWhatItShows() throws {
    var view = try loaded(.fixed)
    view.handle(.blurLive(.standard, interval: 0.25), at: 0)
    view.advance(to: 0.6)
    #expect(view.handle(.becomeStatic, at: 0.7) == [.stopTimer])
    #expect(view.mode == .static)
    #expect(view.advance(to: 50) == [])
    #expect(view.capturedAt == 0.5)
    let live = view.handle(.becomeLive(interval: 1), at: 60)
    #expect(live.timers == 1)
    #expect(live.captureTimes == [60])
    #expect(view.advance(to: 61).captureTimes == [61])
  }

  @Test func becomingStaticMeansNothingBeforeABlur() throws {
    var view = try loaded()
    #expect(view.handle(.becomeStatic, at: 0) == [])
    #expect(view.mode == .undefined)
  }

  @Test func aHiddenViewLooksAtNothing() throws {
    var view = try loaded(.fixed)
    view.handle(.blurLive(.standard, interval: 0.2), at: 0)
    #expect(view.handle(.hidden(true), at: 1.1).last == .stopTimer)
    #expect(!view.hasTimer)
    #expect(!view.isVisible)
    #expect(view.advance(to: 5) == [])
    let shown = view.handle(.hidden(false), at: 6)
    #expect(shown.timers == 1)
    #expect(shown.captureTimes == [6])
  }

  @Test func whatAHiddenStaticViewMissedItAsksForWhenShown() throws {
    var view = try loaded(.fixed)
    view.handle(.hidden(true), at: 0)
    #expect(view.handle(.blur(.standard), at: 1) == [])
    #expect(view.handle(.hidden(false), at: 2).captureTimes == [2])
    view.handle(.hidden(true), at: 3)
    #expect(view.handle(.hidden(false), at: 4) == [])
  }

  @Test func unloadingStopsTheTimerAndKeepsLookAndMode() throws {
    var view = try loaded(.fixed)
    view.handle(.blurLive(.standard, interval: 0.2), at: 0)
    #expect(view.handle(.unload, at: 0.1) == [.stopTimer])
    #expect(view.phase == .unloaded)
    #expect(view.capture == nil)
    #expect(!view.isVisible)
    #expect(view.mode == .live(interval: 0.2))
    #expect(view.advance(to: 9) == [])
    let effects = view.handle(.load(parent: parent), at: 10)
    #expect(effects.timers == 1)
    #expect(effects.captureTimes == [10])
    let again = view.handle(.load(parent: parent), at: 11)
    #expect(again.timers == 0)
    #expect(view.hasTimer)
  }

  @Test func aBlurBeforeLoadingIsRemembered() {
    var view = BackdropView()
    #expect(view.handle(.blur(.standard), at: 0) == [])
    #expect(view.mode == .static)
    #expect(view.handle(.load(parent: parent), at: 1).captureTimes == [1])
  }

  @Test(arguments: [(0, 0.001), (-3, 0.001), (.nan, 0.2), (.infinity, 3600), (0.5, 0.5)])
  func intervalsAreLimited(_ pair: (asked: Double, kept: Double)) throws {
    var view = try loaded(.fixed)
    view.handle(.blurLive(.standard, interval: pair.asked), at: 0)
    #expect(view.mode.interval == pair.kept)
  }

  @Test func timeDoesNotGoBack() throws {
    var view = try loaded(.fixed)
    view.handle(.blurLive(.standard, interval: 0.25), at: 3)
    #expect(view.advance(to: 1) == [])
    #expect(view.advance(to: .nan) == [])
    #expect(view.advance(to: .infinity) == [])
    #expect(view.time == 3)
    #expect(view.handle(.blur(.standard), at: 2).captureTimes == [3])
  }
}
