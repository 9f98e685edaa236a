import CFrostglass
import FrostglassC
import FrostglassCPU
import FrostglassCore
import TestSupport
import Testing

/// Images in masks count as memory, as they do for the command.
@Suite struct MaskMemoryTests {
  private static let size = Size(width: 300, height: 200)
  private let coverage = TestImages.noise(size.width, size.height, .gray8)
  private let input = CallerImage(TestImages.noise(size.width, size.height, .rgba8))

  /// Plans with a feathered image as a mask.
  private func planning(
    _ texts: [String], _ plan: inout OpaquePointer?, memory: Int = 0
  ) throws -> Answer {
    let caller = try Caller(memory: Int64(memory))
    let (covering, feather) = (CallerImage(coverage), strdupped("8"))
    defer { feather.deallocate() }
    return withUnsafePointer(to: covering.image) { picture in
      var mask = fg_mask()
      mask.struct_size = MemoryLayout<fg_mask>.stride
      mask.picture = picture
      mask.feather = UnsafePointer(feather)
      return withUnsafePointer(to: mask) { mask in
        caller.planning(texts, input.image, &plan) { $0.mask = mask }
      }
    }
  }

  private func memory(of plan: OpaquePointer?) throws -> Int {
    var info = fg_plan_info()
    info.struct_size = MemoryLayout<fg_plan_info>.stride
    try #require(fg_plan_describe(plan, 0, &info, nil, 0) == fg_status(FG_OK))
    return Int(info.memory)
  }

  @Test(arguments: [["blur(5px)"], ["blur(5px)", "grayscale()"]])
  func aPlanCountsItsMasks(_ texts: [String]) throws {
    var made: OpaquePointer?
    #expect(try planning(texts, &made) == Answer(status: FG_OK, error: ""))
    defer { fg_plan_free(made) }
    let mask = Mask([.picture(MaskImage(coverage))], feather: 8)
    let plans = try texts.map {
      try FilterChain(text: $0).plan(
        for: Plan.Input(TestImages.noise(300, 200, .rgba8)), options: PlanOptions(mask: mask))
    }
    let plan = plans.count == 1 ? plans[0] : try Plan(joining: plans)
    let masks = MaskMemory(texts.map { _ in mask }, for: Self.size)
    let rows = FastBackend(threads: 2).memory(for: plan, byRows: false)
    #expect(try memory(of: made) == max(masks.making, masks.made + rows))
    #expect(masks.made >= (1 + texts.count) * MaskImage.bytes(of: Self.size))
  }

  /// The memory that a plan reports is enough, and one byte less is not. If a mask alone takes too much, the error
  /// has the memory of the run too.
  @Test func theLimitIsForMasksToo() throws {
    var made: OpaquePointer?
    #expect(try planning(["blur(5px)"], &made).status == FG_OK)
    let needed = try memory(of: made)
    fg_plan_free(made)
    #expect(try planning(["blur(5px)"], &made, memory: needed).status == FG_OK)
    fg_plan_free(made)
    made = nil
    #expect(try planning(["blur(5px)"], &made, memory: needed - 1).status == FG_TOO_LARGE)
    let refused = try planning(["blur(5px)"], &made, memory: 1000)
    #expect(refused.status == FG_TOO_LARGE && made == nil)
    let text = "an image of 300×200 takes "
    #expect(refused.error.hasPrefix(text), "\(refused)")
    #expect(refused.error.hasSuffix(" beside itself; the limit is 1000 B"), "\(refused)")
  }
}
