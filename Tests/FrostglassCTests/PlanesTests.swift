import CFrostglass
import FrostglassC
import FrostglassCPU
import FrostglassCore
import TestSupport
import Testing

/// Images in planes of a caller's.
@Suite struct PlanesTests {
  private static let size = Size(width: 61, height: 47)
  private static let layouts: [(number: Int32, format: YCbCrFormat)] = [
    (1, YCbCrFormat(arrangement: .interleaved)), (2, YCbCrFormat()),
    (3, YCbCrFormat(bits: .sixteen, arrangement: .interleaved)),
  ]

  /// Planes with memory of their own.
  private final class Planes {
    let images: [CallerImage]
    var planes = fg_planes()

    init(_ layout: Int32, _ format: YCbCrFormat, _ images: [Image]) {
      self.images = images.map { CallerImage($0, gap: 16) }
      planes.struct_size = MemoryLayout<fg_planes>.stride
      planes.width = Int64(PlanesTests.size.width)
      planes.height = Int64(PlanesTests.size.height)
      planes.layout = layout
      planes.data = (
        self.images[0].memory, self.images[1].memory, images.count > 2 ? self.images[2].memory : nil
      )
      planes.stride = (
        self.images[0].image.stride, self.images[1].image.stride,
        images.count > 2 ? self.images[2].image.stride : 0
      )
    }
  }

  private func images(_ format: YCbCrFormat, noisy: Bool) -> [Image] {
    format.planes(of: Self.size).map {
      noisy
        ? TestImages.noise($0.size.width, $0.size.height, $0.format)
        : Image(zeros: $0.size, format: $0.format)
    }
  }

  private func plan(
    _ caller: Caller, _ filters: String, _ like: fg_planes, _ mask: fg_mask? = nil,
    _ plan: inout OpaquePointer?
  ) -> Answer {
    let text = strdupped(filters)
    defer { text.deallocate() }
    return withUnsafePointer(to: like) { like in
      withUnsafePointer(to: mask ?? fg_mask()) { given in
        var options = fg_plan_options()
        options.struct_size = MemoryLayout<fg_plan_options>.stride
        options.mask = mask == nil ? nil : given
        return Answer.of {
          fg_planes_plan_create(caller.engine, text, &options, like, &plan, $0, $1)
        }
      }
    }
  }

  @Test(arguments: [0, 1, 2], ["blur(4px)", "blur(4px) saturate(180%)"])
  func planesAreTheLibrarys(_ index: Int, _ filters: String) throws {
    let (number, format) = Self.layouts[index]
    let caller = try Caller()
    let given = images(format, noisy: true)
    let (input, output) = (
      Planes(number, format, given), Planes(number, format, images(format, noisy: false))
    )
    var made: OpaquePointer?
    #expect(plan(caller, filters, input.planes, nil, &made) == Answer(status: FG_OK, error: ""))
    defer { fg_planes_plan_free(made) }
    let own = try FilterChain(text: filters).plan(for: format, size: Self.size)
    let outputs = own.results.map { _ in ImageOutput() }
    _ = try FastBackend(threads: 2).preparePlanes(own).runNow(
      PixelIO(given.map { .image($0) }, to: outputs.map { .image($0) }))
    for _ in 0..<2 {
      let answer = Answer.of {
        fg_planes_plan_run(made, &input.planes, &output.planes, nil, $0, $1)
      }
      #expect(answer == Answer(status: FG_OK, error: ""))
    }
    for (plane, expected) in zip(output.images, outputs) {
      #expect(plane.pixels == (try #require(expected.take()).bytes))
      #expect(plane.changedGaps == 0)
    }
  }

  /// The result does not depend on the pixels under the region.
  @Test func aRedactionLeavesNothing() throws {
    let (number, format) = Self.layouts[0]
    let caller = try Caller()
    let text = strdupped("20,16,16,12")
    defer { text.deallocate() }
    var mask = fg_mask()
    mask.struct_size = MemoryLayout<fg_mask>.stride
    mask.regions = UnsafePointer(text)
    for use in [FG_MASK_REDACT, FG_MASK_REDACT_COLOR] {
      mask.use = Int32(use)
      mask.color = use == FG_MASK_REDACT ? 0 : 0x4080C0
      let input = Planes(number, format, images(format, noisy: true))
      let outputs = (0..<2).map { _ in Planes(number, format, images(format, noisy: false)) }
      var made: OpaquePointer?
      #expect(plan(caller, "none", input.planes, mask, &made) == Answer(status: FG_OK, error: ""))
      defer { fg_planes_plan_free(made) }
      for output in outputs {
        #expect(
          fg_planes_plan_run(made, &input.planes, &output.planes, nil, nil, 0) == fg_status(FG_OK))
        // What is hidden becomes black.
        for y in 16..<28 {
          let row = input.images[0].memory + y * Int(input.images[0].image.stride)
          for x in 20..<36 { row.storeBytes(of: 0, toByteOffset: x, as: UInt8.self) }
        }
      }
      for (first, second) in zip(outputs[0].images, outputs[1].images) {
        #expect(first.pixels == second.pixels)
      }
      #expect(outputs[0].images[0].pixels != input.images[0].pixels)
    }
  }

  @Test func wrongPlanesAreRefused() throws {
    let (number, format) = Self.layouts[0]
    let caller = try Caller()
    let input = Planes(number, format, images(format, noisy: true))
    let output = Planes(number, format, images(format, noisy: false))
    var made: OpaquePointer?
    #expect(plan(caller, "blur(2px)", input.planes, nil, &made).status == FG_OK)
    defer { fg_planes_plan_free(made) }
    func running(_ change: (inout fg_planes) -> Void) -> Int {
      var wrong = output.planes
      change(&wrong)
      return Answer.of { fg_planes_plan_run(made, &input.planes, &wrong, nil, $0, $1) }.status
    }
    #expect(running { _ in } == FG_OK)
    #expect(running { $0.struct_size = 3 } == FG_BAD_ARGUMENT)
    #expect(running { $0.layout = 0 } == FG_BAD_ARGUMENT)
    #expect(running { $0.layout = 2 } == FG_BAD_IMAGE)
    #expect(running { $0.matrix = 3 } == FG_BAD_ARGUMENT)
    #expect(running { $0.matrix = 1 } == FG_BAD_IMAGE)
    #expect(running { $0.full_range = 2 } == FG_BAD_ARGUMENT)
    #expect(running { $0.siting = -1 } == FG_BAD_ARGUMENT)
    #expect(running { $0.width = 0 } == FG_BAD_IMAGE)
    #expect(running { $0.width = .max } == FG_BAD_IMAGE)
    #expect(running { $0.data.1 = nil } == FG_BAD_IMAGE)
    #expect(running { $0.stride.1 = 3 } == FG_BAD_IMAGE)
    #expect(running { $0.data.0 = input.planes.data.0 } == FG_BAD_IMAGE)
    #expect(running { $0.data.1 = $0.data.0 } == FG_BAD_IMAGE)
    var other: OpaquePointer?
    #expect(plan(caller, "blurr()", input.planes, nil, &other).status == FG_BAD_TEXT)
    #expect(other == nil)
    // A plan for images is none for planes.
    #expect(fg_plan_free(made) == fg_status(FG_BAD_HANDLE))
    let limited = try Caller(memory: 1000)
    #expect(plan(limited, "blur(20px)", input.planes, nil, &other).status == FG_TOO_LARGE)
  }

  @Test func aFlagStopsARun() throws {
    let (number, format) = Self.layouts[1]
    let caller = try Caller()
    let input = Planes(number, format, images(format, noisy: true))
    let output = Planes(number, format, images(format, noisy: false))
    var made: OpaquePointer?
    #expect(plan(caller, "blur(9px) saturate(2)", input.planes, nil, &made).status == FG_OK)
    defer { fg_planes_plan_free(made) }
    var told: [Double] = []
    let status = withUnsafeMutablePointer(to: &told) { told in
      var options = fg_run_options()
      options.struct_size = MemoryLayout<fg_run_options>.stride
      options.context = UnsafeMutableRawPointer(told)
      options.progress = { context, done in
        context?.assumingMemoryBound(to: [Double].self).pointee.append(done)
        return done > 0 ? 1 : 0
      }
      return fg_planes_plan_run(made, &input.planes, &output.planes, &options, nil, 0)
    }
    #expect(status == fg_status(FG_CANCELLED))
    #expect(told.count == 2 && told[0] == 0 && (0..<1).contains(told[1]))
  }
}

/// Redactions of images.
@Suite struct RedactionTests {
  private func planning(
    _ use: Int, color: Int32 = 0, _ regions: String?, _ plan: inout OpaquePointer?
  ) throws -> Answer {
    let caller = try Caller()
    let text = strdupped(regions ?? "")
    defer { text.deallocate() }
    var mask = fg_mask()
    mask.struct_size = MemoryLayout<fg_mask>.stride
    mask.regions = regions == nil ? nil : UnsafePointer(text)
    mask.use = Int32(use)
    mask.color = color
    let like = CallerImage(TestImages.noise(80, 60, .rgb8)).image
    return withUnsafePointer(to: mask) { mask in
      caller.planning(["none"], like, &plan) { $0.mask = mask }
    }
  }

  @Test func coveredPixelsAreReplaced() throws {
    let image = TestImages.noise(80, 60, .rgb8)
    var plan: OpaquePointer?
    #expect(try planning(FG_MASK_REDACT_COLOR, color: 0x10_20_30, "10,10,20,20", &plan).status == 0)
    defer { fg_plan_free(plan) }
    let (input, output) = (
      CallerImage(image), CallerImage(Image(zeros: image.size, format: image.format))
    )
    #expect(fg_plan_run(plan, &input.image, &output.image, 1, nil, nil, 0) == fg_status(FG_OK))
    for y in 0..<60 {
      for x in 0..<80 {
        let at = 3 * (80 * y + x)
        let isCovered = (10..<30).contains(x) && (10..<30).contains(y)
        let expected = isCovered ? [0x10, 0x20, 0x30] : Array(input.pixels[at..<at + 3])
        #expect(Array(output.pixels[at..<at + 3]) == expected)
      }
    }
  }

  @Test(arguments: [FG_MASK_REDACT, FG_MASK_REDACT_COLOR])
  func nothingToHideIsRefused(use: Int) throws {
    var plan: OpaquePointer?
    for regions in [nil, "100,100,5,5"] {
      #expect(try planning(use, regions, &plan).status == FG_BAD_VALUE)
      #expect(plan == nil)
    }
    #expect(try planning(use, "10,10,5,5", &plan).status == FG_OK)
    fg_plan_free(plan)
  }

  @Test func aColorIsOfThatUseAlone() throws {
    var plan: OpaquePointer?
    #expect(try planning(FG_MASK_SHOW, color: 1, "1,1,5,5", &plan).status == FG_BAD_ARGUMENT)
    #expect(try planning(FG_MASK_REDACT, color: 1, "1,1,5,5", &plan).status == FG_BAD_ARGUMENT)
    for color in [-1, 0x100_0000] as [Int32] {
      let answer = try planning(FG_MASK_REDACT_COLOR, color: color, "1,1,5,5", &plan)
      #expect(answer.status == FG_BAD_ARGUMENT && answer.error.contains("\(color)"))
    }
  }
}
