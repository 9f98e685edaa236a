import FrostglassCPU
import FrostglassCore
import TestSupport
import Testing

/// Shadows that fall outside the image: what is asked for there is nowhere in memory.
@Suite struct ShadowTests {
  static let backends: [any Backend] = [
    ReferenceBackend(), FastBackend(threads: 1), FastBackend(threads: 3),
    FastBackend(threads: 2, instructions: .best, guardedWith: 0x7F),
  ]

  /// A blur is planned more tightly after one that magnifies errors, and then ends in a pass along
  /// columns; the first three do that.
  @Test(
    arguments: [
      "light(sigma=4)", "dock-light(sigma=4, intensity=1)", "blur(9px) saturate(4)", "blur(4px)",
      "saturate(2)",
    ], [Size(width: 44, height: 30), Size(width: 44, height: 1)])
  func aShadowOutsideChangesNothing(look: String, size: Size) async throws {
    for format in [PixelFormat.rgba8, PixelFormat(.rgba, .float32)] {
      let image = TestImages.noise(size.width, size.height, format)
      for place in ["x=132px, y=0px", "x=-132px, y=120px", "x=0px, y=-120px"] {
        for blur in [0, 8] {
          let shadow = "drop-shadow(\(place), color=#0f08, blur=\(blur)px)"
          for options in [PlanOptions(), PlanOptions(edge: .wrap, linearLight: true, scale: 2)] {
            try await expectNothing(look, shadow, image, options)
          }
        }
      }
    }
  }

  @Test func aShadowOutsideALargerImageChangesNothing() async throws {
    let image = TestImages.noise(300, 200, .rgba8)
    let shadow = "drop-shadow(x=900px, color=#0f08, blur=8px)"
    try await expectNothing("light(sigma=4)", shadow, image, PlanOptions())
  }

  private func expectNothing(
    _ look: String, _ shadow: String, _ image: Image, _ options: PlanOptions
  ) async throws {
    let input = Plan.Input(image)
    let with = try FilterChain(text: "\(look) \(shadow)").plan(for: input, options: options)
    let without = try FilterChain(text: look).plan(for: input, options: options)
    try with.validate(for: .none)
    // The shadow tightens the plan, and with it materials color an image of another size on the way.
    let allowed = 6.0
    for backend in Self.backends {
      let made = try await backend.execute(with, [image])
      let expected = try await backend.execute(without, [image])
      try expectClose(made, expected, within: allowed, "\(backend.name) \(look) \(shadow)")
    }
  }

  /// A plan that asks a pass for what it does not look for is refused, by backends too.
  @Test func plansThatReadBeyondAreRefused() async throws {
    let image = TestImages.noise(20, 10, .rgba8)
    let whole = Rect(image.size)
    let load = Step(
      pass: .load(Load(input: 0, alpha: .straight, decodesToLinear: false)), sources: [], target: 0)
    let edge = AxisEdge(.transparent, whole.columns)
    let beyond = Rect(x: 40, y: 0, width: 20, height: 10)
    let matrix = Step(
      pass: .colorMatrix(ColorMatrix(scale: 0.5)), sources: [Source(slot: 0, x: edge)], target: 1)
    let move = Step(
      pass: .resample(Resample(x: .moving(by: -40), y: .identity)), sources: [Source(slot: 1)],
      target: 2)
    let store = Store(
      format: .rgba8, alpha: .straight, encodesFromLinear: false, background: nil)
    let plan = Plan(
      inputs: [Plan.Input(image)],
      slots: [
        Slot(domain: whole, layout: .rgba, precision: .float32),
        Slot(domain: beyond, layout: .rgba, precision: .float32),
        Slot(domain: whole, layout: .rgba, precision: .float32),
      ],
      steps: [
        load, matrix, move,
        Step(pass: .store(store), sources: [Source(slot: 2)], target: nil),
      ],
      results: [Plan.Result(rect: whole, format: .rgba8, alpha: .straight, transfer: .encoded)])
    #expect(throws: PlanError.self) { try plan.validate(for: .none) }
    for backend in Self.backends {
      await #expect(throws: BackendError.self) { try await backend.execute(plan, [image]) }
    }
  }
}
