import FrostglassCore
import Testing

/// Cutting plans in time and in space.
struct PlanCutTests {
  static func plan(_ text: String = "blur(20px) saturation(1.8) mix(0.7)") throws -> Plan {
    try FilterChain(text: text).plan(
      for: Plan.Input(
        size: Size(width: 301, height: 203), format: .rgb8, alpha: .opaque, transfer: .encoded))
  }

  @Test func aPrefixEndsInWhatItsLastStepWrote() throws {
    let plan = try Self.plan()
    for count in 1..<plan.steps.count {
      let cut = plan.prefix(count)
      try cut.validate(for: .none)
      #expect(cut.steps.last?.sources.first?.slot == plan.steps[count - 1].target)
      #expect(cut.result.format.depth == .float32)
    }
    #expect(plan.prefix(plan.steps.count) == plan)
  }

  @Test func errorsGrowAlongThePlan() throws {
    let plan = try Self.plan("blur(20px) saturation(1.8)")
    let errors = (1..<plan.steps.count).map { plan.prefix($0).certifiedError.total }
    #expect(zip(errors, errors.dropFirst()).allSatisfy { $0 <= $1 })
    #expect(errors.last == plan.certifiedError.total)
  }

  @Test func croppedPlansReadOnlyWhatTheyNeed() throws {
    let plan = try Self.plan("blur(3px)")
    let part = try plan.cropped(to: Rect(x: 100, y: 50, width: 10, height: 10))
    try part.validate(for: .none)
    #expect(part.slots[0].domain.width == 10 + 2 * plan.reach.x)
    #expect(part.memory < plan.memory / 10)
  }

  /// Neither the filtered image nor the mask is asked for at the region, where a part is far off.
  @Test func partsFarFromARegionReadOnlyWhatIsNear() throws {
    let input = Plan.Input(
      size: Size(width: 2000, height: 1500), format: .rgb8, alpha: .opaque, transfer: .encoded)
    for (region, isInverted) in [("10,10,50,50", false), ("10,10,50,50", true)] {
      let mask = Mask(try MaskShape.list(text: region), feather: 4, isInverted: isInverted)
      let plan = try FilterChain(text: "blur(5px)").plan(
        for: input, options: PlanOptions(mask: mask))
      let reach = plan.reach
      for rect in [
        Rect(x: 1900, y: 1400, width: 30, height: 20), Rect(x: 900, y: 20, width: 30, height: 20),
      ] {
        let part = try plan.cropped(to: rect)
        try part.validate(for: .none)
        for slot in part.slots {
          #expect(
            slot.domain.width <= 30 + 2 * reach.x && slot.domain.height <= 20 + 2 * reach.y,
            "\(slot.domain)")
        }
        // Cut again, elsewhere in the part.
        let again = try part.cropped(to: Rect(x: rect.x + 25, y: rect.y + 15, width: 2, height: 2))
        try again.validate(for: .none)
      }
    }
  }

  /// Pixels of every phase of images that shrink and grow.
  @Test(arguments: [
    ("blur(3px)", true), ("gaussian(9px)", true), ("blur(20px)", true), ("kawase(20px)", true),
    ("light(sigma=30px)", true), ("triple-box(20px)", true), ("motion(9px)", true),
    ("pixelate(16px)", true), ("gaussian(9px) gaussian(7px)", false),
    ("blur(12px) blur(5px) blur(30px)", false), ("kawase(9px) blur(20px)", false),
    ("pixelate(10px) blur(9px) pixelate(7px)", false),
  ])
  func noPixelLooksFartherThanTheReach(_ text: String, isOneBlur: Bool) throws {
    let plan = try FilterChain(text: text).plan(
      for: Plan.Input(
        size: Size(width: 501, height: 491), format: .rgb8, alpha: .opaque, transfer: .encoded))
    var farthest = (x: 0, y: 0)
    for (x, y) in zip(200..<264, 205..<269) {
      let pixel = try plan.cropped(to: Rect(x: x, y: y, width: 1, height: 1))
      let read = pixel.slots[0].domain
      farthest.x = max(farthest.x, x - read.x, read.columns.upperBound - 1 - x)
      farthest.y = max(farthest.y, y - read.y, read.rows.upperBound - 1 - y)
    }
    let reach = plan.reach
    #expect(reach.x >= farthest.x && reach.y >= farthest.y)
    // No farther than needed, but for what is said of steps that grow one after another.
    #expect(!isOneBlur || reach == farthest)
    #expect(reach.x <= farthest.x + 4 && reach.y <= farthest.y + 4)
  }

  @Test func croppingOutsideIsAnError() throws {
    let plan = try Self.plan()
    for rect in [
      Rect(x: -1, y: 0, width: 5, height: 5), Rect(x: 300, y: 0, width: 2, height: 1),
      Rect(x: 0, y: 0, width: 0, height: 1), Rect(x: .max, y: 0, width: 1, height: 1),
    ] {
      #expect(throws: PlanError.regionOutside(rect, picture: plan.result.rect)) {
        try plan.cropped(to: rect)
      }
    }
  }

  @Test func limitsAreEnforced() throws {
    let plan = try Self.plan()
    #expect(throws: PlanError.self) { try plan.validate(for: PlanLimits(longestSide: 300)) }
    #expect(throws: PlanError.self) { try plan.validate(for: PlanLimits(bytes: plan.memory - 1)) }
    try plan.validate(for: PlanLimits(longestSide: 301, bytes: plan.memory))
  }

  /// Limits count what is computed, not what was left out.
  @Test func whatNobodyReadsTakesNoRoom() throws {
    let plan = try Self.plan("blur(3px) mix(0)")
    #expect(plan.slots.count == 1)
    let cut = try Self.plan("blur(20px) mix(0.5)").prefix(2)
    #expect(cut.slots.count == 2)
  }

  @Test func aBrokenPlanIsRefused() throws {
    let plan = try Self.plan("blur(3px)")
    let swapped = Plan(
      inputs: plan.inputs, slots: plan.slots, steps: plan.steps.reversed(), results: plan.results)
    #expect(throws: PlanError.self) { try swapped.validate(for: .none) }
    var slots = plan.slots
    slots[0].domain.width -= 1
    let narrow = Plan(
      inputs: plan.inputs, slots: slots, steps: plan.steps, results: plan.results)
    #expect(throws: PlanError.self) { try narrow.validate(for: .none) }
  }

  /// Runs of an even number have no middle, unless there are as many to the other side.
  @Test func kernelsThatCannotBeAreRefused() throws {
    let plan = try Self.plan("box(2)")
    let kernels = [Convolve.Kernel.taps([]), .box(BoxPower(width: 4)), .box(BoxPower(width: 0))]
    let tap = Stencil.WholeTap(dx: 0, dy: 0, count: 2)
    let stencils = [
      Stencil([Stencil.Tap]()), Stencil(stride: 1, phases: 2, taps: [[tap]]),
      Stencil(stride: 1, phases: 2, taps: [[tap], [tap], [tap], [tap, tap]]),
    ]
    for pass in kernels.map({ .convolve(Convolve(axis: .x, kernel: $0)) })
      + stencils.map({ Pass.stencil($0) })
    {
      var steps = plan.steps
      steps[1].pass = pass
      let broken = Plan(
        inputs: plan.inputs, slots: plan.slots, steps: steps, results: plan.results)
      #expect(throws: PlanError.self) { try broken.validate(for: .none) }
    }
  }
}
