import FrostglassScenes
import FrostglassCore
import Testing

/// A view's position, and the part of the backdrop that it shows.
struct BackdropMotionTests {
  private let parent = LayoutRect(x: 0, y: 0, width: 320, height: 568)

  private func view(
    _ arrival: BackdropSettings.Arrival, confirms: Bool = false
  ) throws -> BackdropView {
    BackdropView(try BackdropSettings(arrival: arrival, confirmsCaptures: confirms))
  }

  @Test func isHiddenAboveItsParentWhenLoaded() throws {
    var view = BackdropView()
    #expect(view.phase == .unloaded)
    #expect(view.cropRect == nil)
    view.handle(.load(parent: parent), at: 0)
    #expect(view.phase == .away)
    // Height 200 and location 64: 264 above.
    #expect(view.frame == LayoutRect(x: 0, y: -264, width: 320, height: 200))
    #expect(view.alpha == 1)
    #expect(!view.isVisible)
  }

  @Test func slidesDownInAQuarterOfASecond() {
    var view = BackdropView()
    view.handle(.load(parent: parent), at: 0)
    view.handle(.slideDown, at: 1)
    #expect(view.phase == .arriving)
    // 0.274375 of the time is 0.15625 of the 328 points.
    view.advance(to: 1.06859375)
    #expect(abs(view.frame.y - (-264 + 51.25)) < 1e-9)
    view.advance(to: 1.125)
    #expect(abs(view.frame.y + 100) < 1e-9)
    #expect(view.advance(to: 1.249) == [])
    #expect(view.advance(to: 1.25) == [.arrived])
    #expect(view.phase == .arrived)
    #expect(view.frame == LayoutRect(x: 0, y: 64, width: 320, height: 200))
  }

  @Test func slidesUpFasterAndFades() {
    var view = BackdropView()
    view.handle(.load(parent: parent), at: 0)
    view.handle(.slideDown, at: 0)
    view.advance(to: 1)
    view.handle(.slideUp, at: 2)
    #expect(view.phase == .leaving)
    view.advance(to: 2.075)
    #expect(abs(view.frame.y + 100) < 1e-9)
    #expect(abs(view.alpha - 0.5) < 1e-9)
    #expect(view.advance(to: 2.15) == [.left])
    #expect(view.phase == .away)
    #expect(view.frame.y == -264)
    #expect(view.alpha == 0)
    // Coming again, it becomes opaque on the way.
    view.handle(.slideDown, at: 3)
    view.advance(to: 3.125)
    #expect(abs(view.alpha - 0.5) < 1e-9)
  }

  @Test func turnsBackMidway() {
    var view = BackdropView()
    view.handle(.load(parent: parent), at: 0)
    view.handle(.slideDown, at: 0)
    view.handle(.slideUp, at: 0.125)
    #expect(abs(view.frame.y + 100) < 1e-9)
    view.advance(to: 0.2)
    // Half of the way from −100 to −264, half faded.
    #expect(abs(view.frame.y + 182) < 1e-9)
    #expect(abs(view.alpha - 0.5) < 1e-9)
    view.handle(.slideDown, at: 0.2)
    #expect(abs(view.frame.y + 182) < 1e-9)
    #expect(view.advance(to: 0.45) == [.arrived])
    #expect(view.frame.y == 64)
    #expect(view.alpha == 1)
  }

  @Test func whatItShowsStaysAlignedWhileItSlides() {
    var view = BackdropView()
    view.handle(.load(parent: parent), at: 0)
    view.handle(.blur(.standard), at: 0)
    view.handle(.slideDown, at: 0)
    #expect(view.capture?.rect == LayoutRect(x: 0, y: 0, width: 320, height: 264))
    view.advance(to: 0.125)
    // From −100 to 100 on the screen, of which 0 to 100 is there: it shows just that.
    #expect(view.cropRect == LayoutRect(x: 0, y: 0, width: 320, height: 100))
    #expect(view.cropInCapture == view.cropRect)
    view.advance(to: 0.25)
    #expect(view.cropRect == view.frame)
    #expect(view.cropInCapture == LayoutRect(x: 0, y: 64, width: 320, height: 200))
  }

  @Test func whatItShowsStaysAlignedWhileItGrows() throws {
    var view = try view(.grow)
    view.handle(.load(parent: parent), at: 0)
    view.handle(.blur(.standard), at: 0)
    #expect(view.frame == LayoutRect(x: 0, y: 64, width: 320, height: 0))
    #expect(view.cropRect == nil)
    #expect(view.capture?.rect == LayoutRect(x: 0, y: 64, width: 320, height: 200))
    view.handle(.slideDown, at: 0)
    view.advance(to: 0.125)
    #expect(view.cropRect == LayoutRect(x: 0, y: 64, width: 320, height: 100))
    // The capture begins where the view does, at 64.
    #expect(view.cropInCapture == LayoutRect(x: 0, y: 0, width: 320, height: 100))
    view.advance(to: 0.25)
    #expect(view.cropRect == LayoutRect(x: 0, y: 64, width: 320, height: 200))
    view.handle(.slideUp, at: 1)
    view.advance(to: 1.075)
    #expect(view.cropRect?.y == 64)
    #expect(abs((view.cropRect?.height ?? 0) - 100) < 1e-9)
    view.advance(to: 1.15)
    #expect(view.cropRect == nil)
  }

  @Test func aFixedViewIsThereAndFades() throws {
    var view = try view(.fixed)
    view.handle(.load(parent: parent), at: 0)
    #expect(view.phase == .arrived)
    #expect(view.isVisible)
    view.handle(.slideUp, at: 1)
    view.advance(to: 1.075)
    #expect(view.frame.y == 64)
    #expect(abs(view.alpha - 0.5) < 1e-9)
    view.advance(to: 2)
    #expect(!view.isVisible)
    view.handle(.slideDown, at: 3)
    #expect(view.advance(to: 3.25) == [.arrived])
    #expect(view.isVisible)
  }

  /// A bar that gets higher shows more of what lies behind, and asks for what it does not have.
  @Test func followsAnotherPlace() throws {
    var view = try view(.fixed)
    view.handle(.load(parent: parent), at: 0)
    view.handle(.blur(.standard), at: 0)
    let lower = LayoutRect(x: 0, y: 64, width: 320, height: 100)
    #expect(view.handle(.place(lower), at: 1) == [])
    #expect(view.cropInCapture == LayoutRect(x: 0, y: 0, width: 320, height: 100))
    let higher = LayoutRect(x: 0, y: 20, width: 320, height: 300)
    let effects = view.handle(.place(higher, duration: 0.5), at: 2)
    #expect(effects.captureTimes == [2])
    #expect(view.capture?.rect == higher)
    view.advance(to: 2.25)
    #expect(view.cropRect == LayoutRect(x: 0, y: 42, width: 320, height: 200))
    #expect(view.cropInCapture == LayoutRect(x: 0, y: 22, width: 320, height: 200))
    view.advance(to: 2.5)
    #expect(view.frame == higher)
    view.handle(.place(LayoutRect(x: 0, y: .nan, width: 1, height: 1)), at: 3)
    view.handle(.place(LayoutRect(x: 0, y: 0, width: -1, height: 1)), at: 3)
    #expect(view.frame == higher)
  }

  @Test func aNewPlaceOnTheWayIsWhereItArrives() throws {
    var view = BackdropView()
    view.handle(.load(parent: parent), at: 0)
    view.handle(.slideDown, at: 0)
    let place = LayoutRect(x: 0, y: 100, width: 320, height: 50)
    view.handle(.place(place), at: 0.125)
    #expect(abs(view.frame.y + 100) < 1e-9)
    #expect(view.advance(to: 0.25) == [.arrived])
    #expect(view.frame == place)
    view.handle(.slideUp, at: 1)
    view.advance(to: 2)
    // Height 50 and location 100.
    #expect(view.frame.y == -150)
  }

  @Test func nothingMovesWithoutAParent() {
    var view = BackdropView()
    #expect(view.handle(.slideDown, at: 0) == [])
    #expect(view.handle(.slideUp, at: 0) == [])
    #expect(view.handle(.unload, at: 0) == [])
    #expect(view.handle(.load(parent: LayoutRect(x: 0, y: 0, width: .nan, height: 2)), at: 0) == [])
    #expect(view.phase == .unloaded)
    #expect(!view.isAnimating)
  }

  @Test func slidingUpTwiceOrDownTwiceIsOnce() {
    var view = BackdropView()
    view.handle(.load(parent: parent), at: 0)
    #expect(view.handle(.slideUp, at: 0) == [])
    #expect(view.phase == .away)
    view.handle(.slideDown, at: 0)
    view.handle(.slideDown, at: 0.2)
    #expect(view.advance(to: 0.25) == [.arrived])
  }

  @Test func refusesWhatIsNoPlaceOrTime() {
    #expect(throws: BackdropError.self) {
      try BackdropSettings(frame: LayoutRect(x: 0, y: 0, width: -1, height: 4))
    }
    #expect(throws: BackdropError.self) { try BackdropSettings(arrivalDuration: -1) }
    #expect(throws: BackdropError.self) { try BackdropSettings(departureDuration: .nan) }
    #expect(throws: BackdropError.self) { try BackdropSettings(scale: 0) }
    #expect(throws: BackdropError.self) { try BackdropLook(cornerRadius: -1) }
    let error = #expect(throws: BackdropError.self) { try BackdropLook(reach: .infinity) }
    #expect(
      error?.description
        == "a backdrop view's reach cannot be inf; it can be from 0 to 1000000 points")
  }
}
