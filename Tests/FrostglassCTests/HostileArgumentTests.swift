import CFrostglass
import FrostglassCore
import TestSupport
import Testing

/// Any arguments from C give a status and a sentence, and the process goes on.
@Suite struct HostileArgumentTests {
  private let image = TestImages.noise(40, 30, .rgba8)

  /// Planning for images with wrong numbers fails with a message. None of the plans is run.
  @Test(
    arguments: [
      (0, 30, 7, 0, "width of the input is 0"), (-1, 30, 7, 0, "width of the input is -1"),
      (40, .min, 7, 0, "height of the input is -9223372036854775808"),
      (.max, 30, 7, 0, "width of the input is 9223372036854775807"),
      (1 << 24, 1 << 24, 7, 0, "at most 1099511627776"), (40, 30, 0, 0, "format of the input is 0"),
      (40, 30, 16, 0, "format of the input is 16"), (40, 30, -7, 0, "format of the input is -7"),
      (40, 30, 7, 3, "alpha of the input is 3"), (40, 30, 7, -1, "alpha of the input is -1"),
    ] as [(Int64, Int64, Int32, Int32, String)])
  func planningForWrongImages(
    width: Int64, height: Int64, format: Int32, alpha: Int32, words: String
  ) throws {
    let caller = try Caller()
    var like = CallerImage(image).image
    (like.width, like.height, like.format, like.alpha) = (width, height, format, alpha)
    var plan: OpaquePointer?
    let answer = caller.planning(["blur(4px)"], like, &plan)
    #expect(plan == nil)
    #expect(
      [FG_BAD_IMAGE, FG_BAD_ARGUMENT, FG_TOO_LARGE].contains(answer.status), "\(answer)")
    #expect(answer.error.contains(words), "\(answer)")
  }

  /// The largest images are refused for their memory, or planned, on every path of the catalog.
  @Test(
    arguments: [
      (1 << 24, 1 << 16), (1 << 16, 1 << 24), (1 << 24, 1), (1 << 20, 1 << 20), (1, 1 << 16),
      (1, 1),
    ] as [(Int64, Int64)])
  func planningForExtremeSizes(width: Int64, height: Int64) throws {
    let caller = try Caller(memory: 1 << 30)
    var like = CallerImage(image).image
    (like.width, like.height) = (width, height)
    // What masks show is looked for in every row, which of large heights takes some seconds.
    for (index, filter) in Catalog.codePaths.enumerated() where height < 1 << 20 || index % 4 == 0 {
      var plan: OpaquePointer?
      let answer = caller.planning(["\(filter.name)()"], like, &plan)
      #expect(
        [FG_OK, FG_TOO_LARGE, FG_BAD_VALUE].contains(answer.status), "\(filter.name): \(answer)")
      fg_plan_free(plan)
    }
  }

  @Test func wrongTextsAndNumbers() throws {
    let caller = try Caller()
    let like = CallerImage(image).image
    func planning(
      _ filters: [String], _ change: (inout fg_plan_options) -> Void = { _ in }
    ) -> Answer {
      var plan: OpaquePointer?
      let answer = caller.planning(filters, like, &plan, change)
      #expect(plan == nil)
      return answer
    }
    #expect(planning([]).status == FG_BAD_ARGUMENT)
    #expect(planning([""]).status == FG_BAD_TEXT)
    #expect(
      planning(["blurr(4px)"])
        == Answer(
          status: FG_BAD_TEXT, error: "there is no filter blurr; did you mean blur? (column 1)"))
    #expect(planning(["gaussian(900pt)"]) { $0.scale = 100 }.status == FG_BAD_VALUE)
    #expect(planning([String(repeating: " ", count: 70_000) + "blur(1px)"]).status == FG_BAD_TEXT)
    #expect(planning(Array(repeating: "none", count: 65)).status == FG_BAD_ARGUMENT)
    for number in [-1, 5, Int32.min, Int32.max] {
      #expect(planning(["none"]) { $0.edge = number }.status == FG_BAD_ARGUMENT)
      #expect(planning(["none"]) { $0.quality = number }.status == FG_BAD_ARGUMENT)
      #expect(planning(["none"]) { $0.linear_light = number }.status == FG_BAD_ARGUMENT)
      #expect(planning(["none"]) { $0.reserved = number }.status == FG_BAD_ARGUMENT)
    }
    for scale in [-1, Double.nan, .infinity, 1e9] {
      #expect(planning(["none"]) { $0.scale = scale }.status == FG_BAD_VALUE)
    }
    for size in [0, 8, MemoryLayout<fg_plan_options>.stride + 8, -1] {
      #expect(planning(["none"]) { $0.struct_size = size }.status == FG_BAD_ARGUMENT)
    }
    #expect(planning(["none"]) { $0.input = nil }.status == FG_BAD_ARGUMENT)
    var plan: OpaquePointer?
    let invalid: [CChar] = [98, -1, -2, 0]
    invalid.withUnsafeBufferPointer { text in
      var options = fg_plan_options()
      let texts = [text.baseAddress]
      withUnsafePointer(to: like) { like in
        options.struct_size = MemoryLayout<fg_plan_options>.stride
        options.input = like
        let answer = Answer.of { fg_plan_create(caller.engine, texts, 1, &options, &plan, $0, $1) }
        #expect(answer == Answer(status: FG_BAD_TEXT, error: "filters: the text is not UTF-8"))
      }
    }
  }

  @Test func wrongMasks() throws {
    let caller = try Caller()
    let like = CallerImage(image).image
    let other = CallerImage(TestImages.noise(41, 30, .gray8))
    func planning(_ change: (inout fg_mask) -> Void) -> Int {
      var mask = fg_mask()
      mask.struct_size = MemoryLayout<fg_mask>.stride
      change(&mask)
      var plan: OpaquePointer?
      return withUnsafePointer(to: mask) { mask in
        caller.planning(["blur(2px)"], like, &plan) { $0.mask = mask }.status
      }
    }
    #expect(planning { $0.struct_size = 8 } == FG_BAD_ARGUMENT)
    for text in ["", "1,2,3", "circle(1,2,3)", "1,2,3,-4"] {
      let start = strdupped(text)
      defer { start.deallocate() }
      #expect(planning { $0.regions = UnsafePointer(start) } == FG_BAD_TEXT, "\(text)")
    }
    for text in ["500,500,10,10", "1e300,0,10,10"] {
      let start = strdupped(text)
      defer { start.deallocate() }
      #expect(planning { $0.regions = UnsafePointer(start) } == FG_BAD_VALUE, "\(text)")
    }
    withUnsafePointer(to: other.image) { picture in
      #expect(planning { $0.picture = picture } == FG_BAD_IMAGE)
    }
    let (regions, length) = (strdupped("1,1,9,9"), strdupped("-3"))
    defer {
      regions.deallocate()
      length.deallocate()
    }
    #expect(
      planning {
        $0.regions = UnsafePointer(regions)
        $0.feather = UnsafePointer(length)
      } == FG_BAD_TEXT)
    for use in [-1, 5, Int32.max] {
      #expect(
        planning {
          $0.regions = UnsafePointer(regions)
          $0.use = use
        } == FG_BAD_ARGUMENT)
    }
  }

  @Test func wrongMemory() throws {
    let caller = try Caller()
    let input = CallerImage(image)
    let output = CallerImage(image)
    let plan = try caller.plan(["blur(4px)"], input.image)
    defer { fg_plan_free(plan) }
    func running(
      _ from: (inout fg_image) -> Void = { _ in }, _ to: (inout fg_image) -> Void = { _ in }
    ) -> Answer {
      var (source, target) = (input.image, output.image)
      from(&source)
      to(&target)
      return Answer.of { fg_plan_run(plan, &source, &target, 1, nil, $0, $1) }
    }
    #expect(running().status == FG_OK)
    for stride in [159, 1, -160, .min, .max, Int64(1) << 62] {
      #expect(running { $0.stride = stride }.status == FG_BAD_IMAGE, "\(stride)")
      #expect(running({ _ in }) { $0.stride = stride }.status == FG_BAD_IMAGE, "\(stride)")
    }
    #expect(running { $0.data = nil }.error == "data of the input is null")
    let last = UnsafeMutableRawPointer(bitPattern: UInt.max)
    #expect(running { $0.data = last }.status == FG_BAD_IMAGE)
    #expect(running { $0.width = 41 }.status == FG_BAD_IMAGE)
    #expect(running { $0.format = 4 }.status == FG_BAD_IMAGE)
    #expect(running { $0.alpha = 1 }.status == FG_BAD_IMAGE)
    #expect(running({ _ in }) { $0.alpha = 1 }.status == FG_BAD_IMAGE)
    #expect(running({ _ in }) { $0.height = 29 }.status == FG_BAD_IMAGE)
    #expect(running { $0.struct_size = 0 }.status == FG_BAD_ARGUMENT)
    #expect(running { $0.reserved = 1 }.status == FG_BAD_ARGUMENT)
    // The input's last byte, and a row further on; the input itself in rows farther apart.
    #expect(
      running({ _ in }) { ($0.data, $0.stride) = (input.memory, 164) }.error
        == "the output overlaps the input")
    for offset in [4799, 160] {
      let answer = running({ _ in }) { $0.data = input.memory + offset }
      #expect(answer == Answer(status: FG_BAD_IMAGE, error: "the output overlaps the input"))
    }
    #expect(running { $0.data = output.memory + 4 }.error == "the output overlaps the input")
    #expect(fg_plan_run(plan, nil, nil, 1, nil, nil, 0) == fg_status(FG_BAD_ARGUMENT))
    for count in [0, 2, -1, .max] {
      let answer = Answer.of {
        fg_plan_run(plan, &input.image, &output.image, count, nil, $0, $1)
      }
      #expect(answer.status == FG_BAD_ARGUMENT)
    }
    var options = fg_run_options()
    #expect(
      fg_plan_run(plan, &input.image, &output.image, 1, &options, nil, 0)
        == fg_status(FG_BAD_ARGUMENT))
  }

  @Test func samplesMustBeAligned() throws {
    let caller = try Caller()
    let deep = CallerImage(TestImages.noise(10, 10, PixelFormat(.rgb, .uint16)), gap: 4)
    let output = CallerImage(TestImages.noise(10, 10, PixelFormat(.rgb, .uint16)))
    var odd = deep.image
    odd.data = deep.memory + 1
    odd.height = 9
    #expect(
      Answer.of { fg_apply(caller.engine, "none", &odd, &output.image, nil, $0, $1) }
        == Answer(
          status: FG_BAD_IMAGE, error: "rows of the input do not begin at a multiple of 2 bytes"))
    odd = deep.image
    odd.stride = 61
    #expect(
      Answer.of { fg_apply(caller.engine, "none", &odd, &output.image, nil, $0, $1) }.status
        == FG_BAD_IMAGE)
  }

  @Test func outputsMustNotOverlap() throws {
    let caller = try Caller()
    let input = CallerImage(image)
    let output = CallerImage(image)
    let plan = try caller.plan(["none", "blur(2px)"], input.image)
    defer { fg_plan_free(plan) }
    let both = [output.image, output.image]
    #expect(
      Answer.of { fg_plan_run(plan, &input.image, both, 2, nil, $0, $1) }
        == Answer(status: FG_BAD_IMAGE, error: "the output 1 overlaps the output 0"))
  }

  @Test func freedAndMadeUpHandles() throws {
    let caller = try Caller()
    let input = CallerImage(image)
    let output = CallerImage(image)
    let plan = try caller.plan(["none"], input.image)
    #expect(fg_plan_free(caller.engine) == fg_status(FG_BAD_HANDLE))
    #expect(fg_engine_free(plan) == fg_status(FG_BAD_HANDLE))
    #expect(fg_plan_free(plan) == fg_status(FG_OK))
    #expect(fg_plan_free(plan) == fg_status(FG_BAD_HANDLE))
    #expect(fg_plan_free(nil) == fg_status(FG_OK))
    let some = OpaquePointer(UnsafeMutableRawPointer(input.memory))
    let numbers = [1, -1].map { OpaquePointer(bitPattern: $0) }
    let wrong = [plan, caller.engine, some] + numbers
    for handle in wrong {
      let answer = Answer.of {
        fg_plan_run(handle, &input.image, &output.image, 1, nil, $0, $1)
      }
      #expect(answer.status == FG_BAD_HANDLE, "\(answer)")
      #expect(!answer.error.isEmpty)
      #expect(
        Answer.of { fg_plan_text(handle, nil, 0, nil, $0, $1) }.status == FG_BAD_HANDLE)
      guard handle != caller.engine else { continue }
      #expect(
        Answer.of { fg_apply(handle, "none", &input.image, &output.image, nil, $0, $1) }.status
          == FG_BAD_HANDLE)
    }
    #expect(
      Answer.of { fg_plan_run(nil, &input.image, &output.image, 1, nil, $0, $1) }
        == Answer(status: FG_BAD_ARGUMENT, error: "the plan is null"))
    #expect(fg_engine_create(nil, nil, nil, 0) == fg_status(FG_BAD_ARGUMENT))
    var options = fg_engine_options()
    var made: OpaquePointer?
    #expect(fg_engine_create(&options, &made, nil, 0) == fg_status(FG_BAD_ARGUMENT))
    options.struct_size = MemoryLayout<fg_engine_options>.stride
    for threads in [-1, 1025, .max, .min] as [Int64] {
      options.threads = threads
      #expect(fg_engine_create(&options, &made, nil, 0) == fg_status(FG_BAD_ARGUMENT))
      #expect(made == nil)
    }
  }

  /// A plan goes on when its engine is freed.
  @Test func plansOutliveTheirEngines() throws {
    let input = CallerImage(image)
    let output = CallerImage(image)
    var caller: Caller? = try Caller()
    let plan = try #require(try caller?.plan(["blur(3px)"], input.image))
    caller = nil
    #expect(
      fg_plan_run(plan, &input.image, &output.image, 1, nil, nil, 0) == fg_status(FG_OK))
    #expect(fg_plan_free(plan) == fg_status(FG_OK))
  }

  @Test func memoryIsLimited() throws {
    let caller = try Caller(memory: 1000)
    var plan: OpaquePointer?
    let answer = caller.planning(["blur(4px)"], CallerImage(image).image, &plan)
    #expect(answer.status == FG_TOO_LARGE)
    #expect(answer.error.contains("the limit is 1000 B"), "\(answer)")
  }

  /// Errors and texts are cut where a character ends.
  @Test func shortBuffers() throws {
    let caller = try Caller()
    let input = CallerImage(image)
    let output = CallerImage(image)
    for size in 1...60 {
      let room = UnsafeMutablePointer<CChar>.allocate(capacity: 64)
      room.initialize(repeating: 0x78, count: 64)
      defer { room.deallocate() }
      let status = fg_apply(
        caller.engine, "grüß(1)", &input.image, &output.image, nil, room, size)
      #expect(status == fg_status(FG_BAD_TEXT))
      let text = String(validatingCString: room)
      #expect(text != nil && text!.utf8.count < size, "\(size)")
      #expect((size..<64).allSatisfy { room[$0] == 0x78 }, "\(size)")
    }
    var needed = 0
    let room = UnsafeMutablePointer<CChar>.allocate(capacity: 16)
    defer { room.deallocate() }
    let answer = Answer.of { fg_catalog_json(room, 16, &needed, $0, $1) }
    #expect(answer.status == FG_BUFFER_TOO_SMALL)
    #expect(String(cString: room).utf8.count == 15)
    #expect(needed > 10_000)
    #expect(fg_catalog_json(nil, 16, nil, nil, 0) == fg_status(FG_BAD_ARGUMENT))
  }
}
