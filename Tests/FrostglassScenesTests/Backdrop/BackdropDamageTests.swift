import FrostglassScenes
import FrostglassCore
import Testing

/// Captures that a view requests for damage, and with slow captures.
struct BackdropDamageTests {
  private let parent = LayoutRect(x: 0, y: 0, width: 320, height: 568)
  private let near = Damage(Rect(x: 0, y: 100, width: 10, height: 10))

  /// A live view from 64 to 264 that ticks every quarter of a second and reaches 20 points.
  private func live(
    reach: Double? = 20, scale: Double = 1, confirms: Bool = false
  ) throws -> BackdropView {
    var view = BackdropView(
      try BackdropSettings(arrival: .fixed, scale: scale, confirmsCaptures: confirms))
    view.handle(.load(parent: parent), at: 0)
    view.handle(.blurLive(try BackdropLook(reach: reach), interval: 0.25), at: 0)
    return view
  }

  @Test func anUnchangedVersionIsNotLookedAt() throws {
    var view = try live()
    view.handle(.version(1), at: 0)
    // The version is news, so the first tick looks.
    #expect(view.advance(to: 0.25).captureTimes == [0.25])
    view.handle(.version(1), at: 0.3)
    #expect(view.advance(to: 0.5) == [])
    #expect(view.advance(to: 9) == [])
    #expect(view.capturedAt == 0.25)
    #expect(view.captureCount == 2)
    #expect(view.skippedCount == 2)
    view.handle(.version(2), at: 9.1)
    #expect(view.advance(to: 9.25).captureTimes == [9.25])
  }

  @Test func onlyDamageIsComputedAgain() throws {
    var view = try live()
    view.handle(.damaged(Damage()), at: 0.1)
    #expect(view.advance(to: 0.25) == [])
    view.handle(.damaged(near), at: 0.3)
    let capture = try view.advance(to: 0.5).firstCapture
    #expect(capture.changed == near)
    // 20 more to all sides, cut at the view's left side.
    #expect(capture.recomputed.rects == [Rect(x: 0, y: 80, width: 30, height: 50)])
    #expect(view.advance(to: 0.75) == [])
  }

  @Test func damageAddsUpBetweenTicks() throws {
    var view = try live(reach: 0)
    for step in 0..<4 {
      let rect = Rect(x: step * 20, y: 100, width: 10, height: 10)
      view.handle(.damaged(Damage(rect)), at: 0.01 * Double(step))
    }
    let capture = try view.advance(to: 0.25).firstCapture
    #expect(capture.recomputed.area == 400)
  }

  /// The view begins at 64: with a reach of 20, row 44 matters and row 43 does not.
  @Test func damageOutOfReachDoesNotMatter() throws {
    var view = try live()
    view.handle(.damaged(Damage(Rect(x: 0, y: 0, width: 320, height: 44))), at: 0.1)
    #expect(view.advance(to: 0.25) == [])
    view.handle(.damaged(Damage(Rect(x: 0, y: 44, width: 320, height: 1))), at: 0.3)
    let capture = try view.advance(to: 0.5).firstCapture
    #expect(capture.recomputed.rects == [Rect(x: 0, y: 64, width: 320, height: 1)])
  }

  @Test func withoutAKnownReachAllIsComputedAgain() throws {
    var view = try live(reach: nil)
    view.handle(.damaged(Damage(Rect(x: 0, y: 0, width: 1, height: 1))), at: 0.1)
    let capture = try view.advance(to: 0.25).firstCapture
    #expect(capture.recomputed.rects == [Rect(x: 0, y: 64, width: 320, height: 200)])
  }

  @Test func damageIsInPixels() throws {
    var view = try live(scale: 2)
    view.handle(.damaged(Damage(Rect(x: 100, y: 200, width: 1, height: 1))), at: 0.1)
    let capture = try view.advance(to: 0.25).firstCapture
    // 20 points are 40 pixels.
    #expect(capture.recomputed.rects == [Rect(x: 60, y: 160, width: 81, height: 81)])
  }

  @Test func aTickSeesWhatHappensAtItsTime() throws {
    var view = try live()
    view.handle(.damaged(Damage()), at: 0.1)
    #expect(view.handle(.damaged(near), at: 0.25) == [])
    #expect(view.advance(to: 0.25).captureTimes == [0.25])
  }

  @Test func aStaticViewThatArrivesOverTheSameDoesNotLookAgain() throws {
    var view = BackdropView()
    view.handle(.version(1), at: 0)
    view.handle(.load(parent: parent), at: 0)
    view.handle(.blur(.standard), at: 0)
    view.handle(.slideDown, at: 1)
    #expect(view.advance(to: 2) == [.arrived])
    #expect(view.capturedAt == 0)
  }

  @Test func aNewLookIsComputedOverTheSame() throws {
    var view = try live()
    view.handle(.version(1), at: 0)
    view.advance(to: 0.25)
    #expect(view.handle(.blur(view.look), at: 0.3) == [])
    let dark = try BackdropLook(filters: FilterChain(text: "7blur-dark()"))
    #expect(view.handle(.blur(dark), at: 0.3).captureTimes == [0.3])
  }

  @Test func aCaptureInFlightIsNotAskedForTwice() throws {
    var view = try live(confirms: true)
    #expect(view.capture == nil)
    #expect(view.advance(to: 0.3) == [])
    #expect(view.advance(to: 0.6) == [])
    #expect(view.handle(.captured(7), at: 0.6) == [])
    #expect(view.capture == nil)
    // It shows the first, and asks at once for what two ticks wished for.
    #expect(view.handle(.captured(1), at: 0.6).captureTimes == [0.6])
    #expect(view.capturedAt == 0)
    #expect(view.handle(.captured(2), at: 0.65) == [])
    #expect(view.capturedAt == 0.6)
    #expect(view.advance(to: 0.75).captureTimes == [0.75])
  }

  @Test func nothingChangedInFlightNothingIsAsked() throws {
    var view = try live(confirms: true)
    view.handle(.captured(1), at: 0)
    view.handle(.version(1), at: 0)
    view.advance(to: 0.25)
    view.advance(to: 0.5)
    #expect(view.handle(.captured(2), at: 0.6) == [])
    view.advance(to: 0.75)
    #expect(view.captureCount == 2)
  }

  @Test func whatComesAfterUnloadingIsDropped() throws {
    var view = try live(confirms: true)
    view.handle(.unload, at: 0.1)
    #expect(view.handle(.captured(1), at: 0.2) == [])
    #expect(view.capture == nil)
    #expect(view.handle(.load(parent: parent), at: 0.3).captureTimes == [0.3])
    view.handle(.captured(2), at: 0.4)
    #expect(view.capturedAt == 0.3)
  }

  @Test func aPlaceBeyondTheCaptureInFlightWaitsForIt() throws {
    var view = try live(confirms: true)
    let place = LayoutRect(x: 0, y: 20, width: 320, height: 400)
    #expect(view.handle(.place(place), at: 0.1) == [])
    #expect(view.handle(.captured(1), at: 0.2).first?.capture?.rect == place)
  }
}
