import CFrostglass
import FrostglassCPU
import FrostglassCore
import Synchronization
import TestSupport
import Testing

/// Results in C are the library's results, byte for byte.
@Suite struct ResultTests {
  private static let backend = FastBackend(threads: 2)

  private func made(
    _ text: String, of image: Image, _ options: PlanOptions = PlanOptions()
  ) throws -> [UInt8] {
    let plan = try FilterChain(text: text).plan(for: Plan.Input(image), options: options)
    let output = ImageOutput()
    _ = try Self.backend.runNow(plan, PixelIO([.image(image)], to: [.image(output)]))
    return try #require(output.take()).bytes
  }

  @Test(arguments: PixelFormat.all)
  func everyFormatIsTheLibrarys(format: PixelFormat) throws {
    let caller = try Caller()
    let image = TestImages.noise(61, 47, format)
    let input = CallerImage(image, gap: 64)
    let output = CallerImage(Image(zeros: image.size, format: format), gap: 16)
    let plan = try caller.plan(["blur(4px) saturate(180%)"], input.image)
    defer { fg_plan_free(plan) }
    // Twice, as a plan is ready after the first time.
    for _ in 0..<2 {
      let answer = Answer.of {
        fg_plan_run(plan, &input.image, &output.image, 1, nil, $0, $1)
      }
      #expect(answer == Answer(status: FG_OK, error: ""))
      #expect(output.pixels == (try made("blur(4px) saturate(180%)", of: image)))
      #expect(output.changedGaps == 0)
    }
  }

  /// With and without a region, whose rows are computed from rows that are already overwritten.
  @Test(arguments: [nil, "40,30,60,50; ellipse(120,60,60,50)"])
  func theInputMayBeTheOutput(regions: String?) throws {
    let caller = try Caller()
    let image = TestImages.noise(200, 150, .rgba8)
    let input = CallerImage(image, gap: 32)
    let text = strdupped(regions ?? "")
    defer { text.deallocate() }
    var mask = fg_mask()
    mask.struct_size = MemoryLayout<fg_mask>.stride
    mask.regions = UnsafePointer(text)
    for blur in ["blur(2px)", "blur(20px)"] {
      let plan = try withUnsafePointer(to: &mask) { mask in
        try caller.plan([blur], input.image) { if regions != nil { $0.mask = mask } }
      }
      defer { fg_plan_free(plan) }
      let (own, output) = (CallerImage(image, gap: 32), CallerImage(image))
      var (from, to) = (own.image, own.image)
      #expect(fg_plan_run(plan, &input.image, &output.image, 1, nil, nil, 0) == fg_status(FG_OK))
      #expect(fg_plan_run(plan, &from, &to, 1, nil, nil, 0) == fg_status(FG_OK))
      #expect(own.pixels == output.pixels && own.pixels != input.pixels)
      #expect(own.changedGaps == 0)
    }
  }

  @Test func severalResultsComeFromOneRun() throws {
    let caller = try Caller()
    let image = TestImages.noise(300, 180, .rgba8)
    let input = CallerImage(image)
    let texts = ["blur(12px)", "blur(12px) grayscale(1)", "none"]
    let outputs = texts.map { _ in CallerImage(Image(zeros: image.size, format: image.format)) }
    let plan = try caller.plan(texts, input.image)
    defer { fg_plan_free(plan) }
    let places = outputs.map(\.image)
    let answer = Answer.of { fg_plan_run(plan, &input.image, places, 3, nil, $0, $1) }
    #expect(answer == Answer(status: FG_OK, error: ""))
    let parts = try texts.map { try FilterChain(text: $0).plan(for: Plan.Input(image)) }
    let results = parts.map { _ in ImageOutput() }
    _ = try Self.backend.runNow(
      Plan(joining: parts), PixelIO([.image(image)], to: results.map { .image($0) }))
    for (output, result) in zip(outputs, results) {
      #expect(output.pixels == (try #require(result.take()).bytes))
    }
  }

  @Test func optionsAndMasksAreTheLibrarys() throws {
    let caller = try Caller()
    let image = TestImages.noise(120, 90, .rgba8)
    let input = CallerImage(image)
    let output = CallerImage(Image(zeros: image.size, format: image.format))
    let coverage = TestImages.noise(120, 90, .gray8)
    let covering = CallerImage(coverage)
    let (regions, feather) = (strdupped("10,10,50%,40; ellipse(70,30,30,30)"), strdupped("8"))
    defer {
      regions.deallocate()
      feather.deallocate()
    }
    for usesImage in [false, true] {
      var mask = fg_mask()
      mask.struct_size = MemoryLayout<fg_mask>.stride
      mask.regions = usesImage ? nil : UnsafePointer(regions)
      mask.feather = usesImage ? nil : UnsafePointer(feather)
      mask.use = usesImage ? 1 : 0
      mask.inverted = usesImage ? 0 : 1
      let plan = try withUnsafePointer(to: &mask) { mask in
        try withUnsafePointer(to: covering.image) { covering in
          UnsafeMutablePointer(mutating: mask).pointee.picture = usesImage ? covering : nil
          return try caller.plan(["blur(5px)"], input.image) { options in
            options.mask = mask
            options.edge = 1
            options.linear_light = 1
            options.scale = 2
          }
        }
      }
      defer { fg_plan_free(plan) }
      let answer = Answer.of { fg_plan_run(plan, &input.image, &output.image, 1, nil, $0, $1) }
      #expect(answer == Answer(status: FG_OK, error: ""))
      var options = PlanOptions(edge: .mirror, linearLight: true, scale: 2)
      options.mask =
        usesImage
        ? Mask([.picture(MaskImage(coverage))], use: .confine)
        : Mask(
          try MaskShape.list(text: "10,10,50%,40; ellipse(70,30,30,30)"), feather: 8,
          isInverted: true)
      #expect(output.pixels == (try made("blur(5px)", of: image, options)), "\(usesImage)")
    }
  }

  @Test(
    arguments: zip(
      [FG_CLAMP, FG_MIRROR, FG_WRAP, FG_TRANSPARENT, FG_REFLECT_101],
      [EdgeMode.clamp, .mirror, .wrap, .transparent, .reflect101]))
  func edgesAreTheHeaders(number: Int, edge: EdgeMode) throws {
    let image = TestImages.noise(50, 40, .rgba8)
    let (input, output) = (
      CallerImage(image), CallerImage(Image(zeros: image.size, format: image.format))
    )
    let plan = try Caller().plan(["blur(6px)"], input.image) { $0.edge = Int32(number) }
    defer { fg_plan_free(plan) }
    #expect(fg_plan_run(plan, &input.image, &output.image, 1, nil, nil, 0) == fg_status(FG_OK))
    let expected = try made("blur(6px)", of: image, PlanOptions(edge: edge))
    #expect(output.pixels == expected)
  }

  /// Nobody asks the run whether it is to go on: it would take minutes.
  @Test func anotherThreadStopsARun() async throws {
    let image = TestImages.noise(3000, 3000, .rgba8)
    let (input, output) = (
      CallerImage(image), CallerImage(Image(zeros: image.size, format: image.format))
    )
    let plan = try Caller().plan(["median(15)"], input.image)
    defer { fg_plan_free(plan) }
    let context = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
    defer { context.deallocate() }
    #expect(fg_cancel(context) == 0 && fg_cancel(nil) == 0)
    // The caller's memory and plan stay until the run has ended.
    nonisolated(unsafe) let (run, from, to, known) = (plan, input.image, output.image, context)
    async let status = ThreadPool().run { () -> fg_status in
      var (from, to, options) = (from, to, fg_run_options())
      options.struct_size = MemoryLayout<fg_run_options>.stride
      options.context = known
      return fg_plan_run(run, &from, &to, 1, &options, nil, 0)
    }
    var tries = 0
    while fg_cancel(context) == 0, tries < 60_000 {
      tries += 1
      try await Task.sleep(for: .milliseconds(1))
    }
    #expect(await status == fg_status(FG_CANCELLED))
    #expect(fg_cancel(context) == 0)
  }

  @Test func oneCallDoesBoth() throws {
    let caller = try Caller()
    let image = TestImages.noise(50, 40, .rgba8)
    let input = CallerImage(image)
    let output = CallerImage(Image(zeros: image.size, format: image.format))
    let answer = Answer.of {
      fg_apply(caller.engine, "median(2)", &input.image, &output.image, nil, $0, $1)
    }
    #expect(answer == Answer(status: FG_OK, error: ""))
    #expect(output.pixels == (try made("median(2)", of: image)))
  }

  /// The left half of a buffer is the input and the right half the output.
  @Test func imagesMayBeSideBySide() throws {
    let caller = try Caller()
    let whole = CallerImage(TestImages.noise(80, 30, .rgba8))
    let left = try #require(TestImages.noise(80, 30, .rgba8).left(40))
    for (from, to) in [(0, 160), (160, 0)] {
      (whole.memory + from).copyRows(of: left, stride: 320)
      var (input, output) = (whole.image, whole.image)
      input.width = 40
      input.data = whole.memory + from
      output.width = 40
      output.data = whole.memory + to
      let answer = Answer.of {
        fg_apply(caller.engine, "blur(3px)", &input, &output, nil, $0, $1)
      }
      #expect(answer == Answer(status: FG_OK, error: ""))
      let expected = try made("blur(3px)", of: left)
      let found = (0..<30).flatMap { y in
        Array(UnsafeRawBufferPointer(start: whole.memory + to + y * 320, count: 160))
      }
      #expect(found == expected)
    }
  }

  @Test func aPlanSaysWhatItIs() throws {
    let caller = try Caller()
    let image = TestImages.noise(64, 48, .rgba8)
    let input = CallerImage(image)
    let plan = try caller.plan(["blur(9px)", "drop-shadow(2px 2px 3px black)"], input.image)
    defer { fg_plan_free(plan) }
    let expected = try Plan(
      joining: ["blur(9px)", "drop-shadow(2px 2px 3px black)"].map {
        try FilterChain(text: $0).plan(for: Plan.Input(image))
      })
    for (index, result) in expected.results.enumerated() {
      var info = fg_plan_info()
      info.struct_size = MemoryLayout<fg_plan_info>.stride
      #expect(Answer.of { fg_plan_describe(plan, index, &info, $0, $1) }.status == FG_OK)
      #expect(info.results == 2)
      #expect(info.certified_error == result.certifiedError.total)
      #expect(info.certified_error > 0)
      #expect(info.result.width == 64 && info.result.height == 48 && info.result.stride == 256)
      #expect(info.result.format == Int32(FG_RGBA8) && info.result.data == nil)
    }
    var needed = 0
    #expect(Answer.of { fg_plan_text(plan, nil, 0, &needed, $0, $1) }.status == FG_OK)
    #expect(needed == expected.description.utf8.count + 1)
    let room = UnsafeMutablePointer<CChar>.allocate(capacity: needed)
    defer { room.deallocate() }
    #expect(Answer.of { fg_plan_text(plan, room, needed, nil, $0, $1) }.status == FG_OK)
    #expect(String(cString: room) == expected.description)
  }

  @Test func theCatalogIsTheCommands() {
    var needed = 0
    #expect(Answer.of { fg_catalog_json(nil, 0, &needed, $0, $1) }.status == FG_OK)
    let room = UnsafeMutablePointer<CChar>.allocate(capacity: needed)
    defer { room.deallocate() }
    #expect(Answer.of { fg_catalog_json(room, needed, nil, $0, $1) }.status == FG_OK)
    #expect(String(cString: room) == JSONText.array(Catalog.filters.map { $0.info.json }))
    #expect(fg_abi_version() == Int32(FG_ABI_VERSION))
    #expect(fg_version().map { String(cString: $0) } == Version.current)
    #expect(fg_sizeof("fg_image") == MemoryLayout<fg_image>.stride)
    #expect(fg_sizeof("fg_plan_info") == MemoryLayout<fg_plan_info>.stride)
    #expect(fg_status_name(fg_status(FG_BAD_IMAGE)).map { String(cString: $0) } == "FG_BAD_IMAGE")
  }

  /// The calls of a progress callback.
  private final class Told {
    var shares: [Double] = []
    var limit = Int.max
    var plan: OpaquePointer?
    var image: UnsafeMutablePointer<fg_image>?
    var answer: Answer?
  }

  private func run(
    _ plan: OpaquePointer, _ input: CallerImage, _ output: CallerImage, _ told: Told
  ) -> Answer {
    var options = fg_run_options()
    options.struct_size = MemoryLayout<fg_run_options>.stride
    options.context = Unmanaged.passUnretained(told).toOpaque()
    options.progress = { context, done in
      guard let context else { return 1 }
      let told = Unmanaged<Told>.fromOpaque(context).takeUnretainedValue()
      told.shares.append(done)
      if told.shares.count == 2, let image = told.image {
        told.answer = Answer.of { fg_plan_run(told.plan, image, image, 1, nil, $0, $1) }
      }
      return told.shares.count > told.limit ? 1 : 0
    }
    return Answer.of { fg_plan_run(plan, &input.image, &output.image, 1, &options, $0, $1) }
  }

  @Test func progressIsToldAndMayEndTheRun() throws {
    // By one thread, as others may do it all before it is told.
    let caller = try Caller(threads: 1)
    let image = TestImages.noise(200, 300, .rgba8)
    let (input, output) = (CallerImage(image), CallerImage(image))
    let plan = try caller.plan(["median(3) blur(20px)"], input.image)
    defer { fg_plan_free(plan) }
    let told = Told()
    #expect(run(plan, input, output, told) == Answer(status: FG_OK, error: ""))
    #expect(told.shares.first == 0 && told.shares.last == 1 && told.shares.count > 5)
    #expect(told.shares == told.shares.sorted())
    #expect(output.pixels == (try made("median(3) blur(20px)", of: image)))
    for limit in [0, 3] {
      let stopped = Told()
      stopped.limit = limit
      #expect(run(plan, input, output, stopped) == Answer(status: FG_CANCELLED, error: "cancelled"))
      #expect(stopped.shares.count == limit + 1)
    }
    // The plan is as good as before.
    #expect(run(plan, input, output, Told()).status == FG_OK)
  }

  /// It would wait for itself.
  @Test func aCallbackCannotRunPlans() throws {
    let caller = try Caller()
    let image = TestImages.noise(100, 100, .rgba8)
    let (input, output) = (CallerImage(image), CallerImage(image))
    let plan = try caller.plan(["blur(5px)"], input.image)
    defer { fg_plan_free(plan) }
    let told = Told()
    told.plan = plan
    let answer = withUnsafeMutablePointer(to: &output.image) { image in
      told.image = image
      return run(plan, input, CallerImage(TestImages.noise(100, 100, .rgba8)), told)
    }
    #expect(answer.status == FG_OK)
    #expect(told.answer?.status == FG_BAD_ARGUMENT)
  }

  @Test func manyThreadsUseOnePlan() async throws {
    let caller = try Caller(threads: 3)
    let image = TestImages.noise(150, 100, .rgba8)
    let like = CallerImage(image)
    let plan = try caller.plan(["blur(7px)"], like.image)
    let expected = try made("blur(7px)", of: image)
    let handle = UInt(bitPattern: plan)
    let good = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let (input, output) = (CallerImage(image), CallerImage(image, gap: 8))
          return (0..<10).allSatisfy { _ in
            fg_plan_run(
              OpaquePointer(bitPattern: handle), &input.image, &output.image, 1, nil, nil, 0)
              == fg_status(FG_OK) && output.pixels == expected
          }
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(good == 8)
    #expect(fg_plan_free(plan) == fg_status(FG_OK))
  }
}

extension Image {
  /// The columns at the left.
  fileprivate func left(_ width: Int) -> Image? {
    let row = width * format.bytesPerPixel
    let bytes = (0..<size.height).flatMap { y in
      self.bytes[y * bytesPerRow..<y * bytesPerRow + row]
    }
    return try? Image(
      size: Size(width: width, height: size.height), format: format, alpha: alpha, bytes: bytes)
  }
}

extension UnsafeMutableRawPointer {
  fileprivate func copyRows(of image: Image, stride: Int) {
    let row = image.size.width * image.format.bytesPerPixel
    for y in 0..<image.size.height {
      UnsafeMutableRawBufferPointer(start: self + y * stride, count: row)
        .copyBytes(from: image.bytes[y * row..<(y + 1) * row])
    }
  }
}
