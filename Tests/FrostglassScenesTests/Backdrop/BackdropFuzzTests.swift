import FrostglassScenes
import FrostglassCore
import TestSupport
import Testing

struct BackdropFuzzTests {
  /// A million events at random times, for views that come in every way.
  @Test(arguments: BackdropSettings.Arrival.allCases, [false, true])
  func noEventsLeaveNonsenseOrALostTimer(
    arrival: BackdropSettings.Arrival, confirms: Bool
  ) throws {
    var random = SplitMix(state: confirms ? 11 : 12)
    var view = BackdropView(try BackdropSettings(arrival: arrival, confirmsCaptures: confirms))
    let looks = [BackdropLook.standard, try BackdropLook(tint: .white, reach: 30)]
    var timers = 0
    var captures = 0
    var wrong = 0
    var time = 0.0
    for step in 0..<75_000 {
      time += Double.random(in: 0...0.15, using: &random)
      let wasHidden = view.isHidden
      var effects = random.once(in: 3) ? view.advance(to: time) : []
      let event = BackdropFuzzTests.event(&random, looks: looks, captures: captures)
      let moment = random.once(in: 60) ? -random.number(in: 0...1).magnitude : time
      effects += view.handle(event, at: moment)
      for effect in effects {
        timers += [effect].timers
        if !(0...1).contains(timers) { wrong += 1 }
        guard let capture = effect.capture else { continue }
        captures += 1
        // Ticks come before the event that is handled.
        if wasHidden, view.isHidden { wrong += 1 }
        if !BackdropFuzzTests.isSound(capture, in: view, number: captures) { wrong += 1 }
      }
      if !BackdropFuzzTests.isSound(view) { wrong += 1 }
      if view.hasTimer != (timers == 1) { wrong += 1 }
      if step % 100 == 0, !BackdropFuzzTests.comesToRest(view) { wrong += 1 }
    }
    #expect(wrong == 0)
    #expect(captures > 1000)
  }

  private static func isSound(_ view: BackdropView) -> Bool {
    let frame = view.frame
    let shouldTick =
      view.mode.interval != nil && !view.isHidden
      && (view.phase == .arriving || view.phase == .arrived)
    return view.time.isFinite && (0...1).contains(view.alpha)
      && [frame.x, frame.y, frame.width, frame.height].allSatisfy(\.isFinite)
      && frame.width >= 0 && frame.height >= 0 && view.hasTimer == shouldTick
      && (view.capturedAt ?? 0) <= view.time && (view.phase == .unloaded) == (view.parent == nil)
  }

  private static func isSound(
    _ capture: BackdropCapture, in view: BackdropView, number: Int
  ) -> Bool {
    capture.number == number && capture.time.isFinite && capture.time <= view.time
      && capture.rect.width > 0 && capture.rect.height > 0
      && (capture.changed == nil || !(capture.changed?.isEmpty ?? true))
      && view.mode != .undefined
  }

  /// Left alone, a view moves no more, and what it shows covers its crop.
  private static func comesToRest(_ view: BackdropView) -> Bool {
    var later = view
    // No motion takes more than a minute.
    later.advance(to: view.time + 61)
    let isStuck = later.isAnimating || later.phase == .arriving || later.phase == .leaving
    guard let crop = later.cropInCapture, let held = later.capture?.rect,
      !later.settings.confirmsCaptures
    else { return !isStuck }
    let slack = 1e-6
    let isCovered =
      crop.x >= -slack && crop.y >= -slack && crop.maxX <= held.width + slack
      && crop.maxY <= held.height + slack
    return !isStuck && isCovered
  }

  private static func event(
    _ random: inout SplitMix, looks: [BackdropLook], captures: Int
  ) -> BackdropEvent {
    let look = looks[random.once(in: 2) ? 0 : 1]
    switch Int.random(in: 0..<16, using: &random) {
    case 0: return .load(parent: rect(&random, 600))
    case 1: return .blur(look)
    case 2: return .blurLive(look, interval: random.number(in: 0...0.5))
    case 3: return .becomeStatic
    case 4: return .becomeLive(interval: random.number(in: 0...0.5))
    case 5, 6, 7: return .slideDown
    case 8: return .slideUp
    case 9: return random.once(in: 4) ? .unload : .slideDown
    case 10: return .hidden(random.once(in: 3))
    case 11: return .place(rect(&random, 300), duration: random.number(in: 0...1))
    case 12:
      return .damaged(
        Damage(
          Rect(
            x: Int.random(in: -50...600, using: &random),
            y: Int.random(in: -50...600, using: &random), width: 9, height: 9)))
    case 13: return .version(Int.random(in: 0...2, using: &random))
    default: return .captured(captures)
    }
  }

  private static func rect(_ random: inout SplitMix, _ size: Double) -> LayoutRect {
    LayoutRect(
      x: random.number(in: -50...50), y: random.number(in: -50...100),
      width: random.number(in: 0...size), height: random.number(in: 0...size))
  }
}
