import FrostglassScenes
import FrostglassCore
import Testing

/// The loops of backdrop-views.md and status-bars.md in docs/integrate, with renderers that only count.
struct BackdropDrivingTests {
  @Test func drivesABackdropView() throws {
    let screen = LayoutRect(x: 0, y: 0, width: 320, height: 568)
    var blurred = 0
    var drawn = 0
    func perform(_ effects: [BackdropEffect]) {
      for case .capture(let capture) in effects { blurred += capture.recomputed.area }
    }

    let settings = try BackdropSettings(
      frame: LayoutRect(x: 0, y: 64, width: 320, height: 200), scale: 2)
    var view = BackdropView(settings)
    perform(view.handle(.load(parent: screen), at: 0))
    perform(view.handle(.blurLive(try BackdropLook(reach: 66), interval: 0.2), at: 0))
    perform(view.handle(.slideDown, at: 0.5))
    for frame in 31..<600 {
      let time = Double(frame) / 60
      perform(view.handle(.damaged(Damage()), at: time))
      perform(view.advance(to: time))
      if let crop = view.cropRect, let part = view.cropInCapture {
        drawn += crop.size == part.size ? 1 : 0
      }
    }

    // Away and at the start of the way, 640 by 528 pixels are computed, and none after that.
    #expect(blurred == 2 * 640 * 528)
    #expect(drawn > 550)
  }

  @Test func drivesAStatusBar() throws {
    let modal = StatusBarController("photo", prefersHidden: true, presentationStyle: .fullScreen)
    let list = StatusBarController("list", preferredStyle: .lightContent, presenting: modal)
    let root = StatusBarController(
      "root", kind: .navigation(bar: NavigationBar(isVisible: false), stack: [list]))
    let appearance = StatusBarResolver().resolve(root)
    #expect(appearance.isHidden)
    #expect(appearance.hiddenOwner.description == "photo")
    #expect(
      appearance.hiddenSteps.map(\.description) == [
        "root hides its navigation bar; list is on top of its stack",
        "photo, presented by list, fills the screen", "photo prefers it",
      ])

    var bar = try StatusBarView(width: 390, metrics: StatusBarMetrics(named: "notch-47"))
    var contrast = AutomaticContrast()
    bar.handle(.appearance(StatusBarResolver().resolve(root)), at: 0)
    for frame in 0..<600 {
      let time = Double(frame) / 60
      if frame == 120 { bar.handle(.willChangeOrientation(.landscapeLeft), at: time) }
      bar.advance(to: time)
      contrast.handle(try BackdropLuminance(cells: [0.02, 0.1]), at: time)
      if let content = contrast.content { bar.handle(.content(content, duration: 0.2), at: time) }
    }
    #expect(bar.content == .light)
    #expect(bar.alpha == 0)
  }
}
