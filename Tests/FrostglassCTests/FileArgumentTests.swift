import CFrostglass
import CFrostglassFiles
import FrostglassCFiles
import FrostglassCore
import FrostglassStills
import Glibc
import TestSupport
import Testing

/// Files and backends from C: the same images, and whatever is handed over ends in a status.
///
/// In threads like C's, as calls wait for tasks: those of the tests' own pool must not.
@Suite struct FileArgumentTests {
  private static let image = TestImages.noise(60, 40, .rgb8)

  private func made() throws -> [UInt8] { try StillEncoder().encode(Self.image, as: .png) }

  /// An engine of the larger library.
  private func engine(_ backend: Int) throws -> OpaquePointer {
    var options = fg_backend_options()
    options.struct_size = MemoryLayout<fg_backend_options>.stride
    (options.backend, options.threads) = (Int32(backend), 2)
    var engine: OpaquePointer?
    let answer = Answer.of { fg_engine_create_on(&options, &engine, $0, $1) }
    return try #require(engine, "\(answer)")
  }

  /// Returns the bytes of data, and frees it.
  private func taken(_ data: OpaquePointer?) -> [UInt8] {
    var (bytes, size): (UnsafeRawPointer?, Int) = (nil, 0)
    let answer = Answer.of { fg_data_bytes(data, &bytes, &size, $0, $1) }
    #expect(answer == Answer(status: FG_OK, error: ""))
    defer { #expect(fg_data_free(data) == fg_status(FG_OK)) }
    return Array(UnsafeRawBufferPointer(start: bytes, count: size))
  }

  @Test(arguments: [FG_BACKEND_AUTO, FG_BACKEND_FAST, FG_BACKEND_REFERENCE])
  func bytesBecomeBytes(backend: Int) async throws {
    try await inThread { try bytesBecomeBytesNow(backend) }
  }

  private func bytesBecomeBytesNow(_ backend: Int) throws {
    let engine = try engine(backend)
    defer { fg_engine_free(engine) }
    var (data, info): (OpaquePointer?, fg_file_info) = (nil, fg_file_info())
    info.struct_size = MemoryLayout<fg_file_info>.stride
    let file = try made()
    let answer = Answer.of {
      fg_apply_bytes(engine, "blur(3px)", file, file.count, nil, &data, &info, $0, $1)
    }
    #expect(answer == Answer(status: FG_OK, error: ""))
    let still = try StillDecoder().decode(.bytes(taken(data)))
    #expect(still.format == .png)
    #expect((info.width, info.height, info.frames) == (60, 40, 1))
    #expect(info.certified_error > 0 && info.certified_error < 1)
    #expect(withUnsafeBytes(of: &info.format) { Array($0.prefix(4)) } == Array("png\0".utf8))
    // The same engine on pixels in memory.
    let (input, output) = (CallerImage(Self.image), CallerImage(Self.image))
    let applied = Answer.of {
      fg_apply(engine, "blur(3px)", &input.image, &output.image, nil, $0, $1)
    }
    #expect(applied == Answer(status: FG_OK, error: ""))
    #expect(still.image.bytes == output.pixels)
  }

  /// Pixels go out and in again, with what their file says beside them.
  @Test func imagesAreReadAndWritten() async throws {
    try await inThread { try imagesAreReadAndWrittenNow() }
  }

  private func imagesAreReadAndWrittenNow() throws {
    let texts = StillMetadata(texts: [.init("Title", "Lake")])
    let file = try StillEncoder().encode(Self.image, metadata: texts, as: .png)
    var picture: OpaquePointer?
    #expect(
      Answer.of { fg_decode_bytes(file, file.count, nil, &picture, $0, $1) }.status == FG_OK)
    var image = fg_image()
    image.struct_size = MemoryLayout<fg_image>.stride
    #expect(Answer.of { fg_picture_image(picture, &image, $0, $1) }.status == FG_OK)
    #expect((image.width, image.height, image.format) == (60, 40, Int32(FG_RGB8)))
    var data: OpaquePointer?
    #expect(Answer.of { fg_encode_bytes(&image, picture, nil, &data, $0, $1) }.status == FG_OK)
    let again = try StillDecoder().decode(.bytes(taken(data)))
    #expect(again.image.bytes == Self.image.bytes && again.metadata.texts == texts.texts)
    var options = fg_encode_options()
    options.struct_size = MemoryLayout<fg_encode_options>.stride
    options.strip = 1
    #expect(Answer.of { fg_encode_bytes(&image, picture, &options, &data, $0, $1) }.status == FG_OK)
    #expect(try StillDecoder().decode(.bytes(taken(data))).metadata.texts.isEmpty)
    #expect(fg_picture_free(picture) == fg_status(FG_OK))
    #expect(fg_picture_free(picture) == fg_status(FG_BAD_HANDLE))
  }

  /// Premultiplied pixels become straight ones, and what a format has no alpha for lies on a color.
  @Test func pixelsBecomeWhatAFormatHolds() async throws {
    try await inThread { try pixelsBecomeWhatAFormatHoldsNow() }
  }

  private func pixelsBecomeWhatAFormatHoldsNow() throws {
    let image = try Image(
      size: Size(width: 8, height: 8), format: .rgba8, alpha: .premultiplied,
      bytes: (0..<64).flatMap { _ in [64, 0, 0, 128] as [UInt8] })
    let caller = CallerImage(image)
    var data: OpaquePointer?
    #expect(
      Answer.of { fg_encode_bytes(&caller.image, nil, nil, &data, $0, $1) }.status == FG_OK)
    let png = try StillDecoder().decode(.bytes(taken(data))).image
    #expect(Array(png.bytes[..<4]) == [128, 0, 0, 128])
    // What an opaque image has in its fourth channel is not looked at.
    caller.image.alpha = Int32(FG_OPAQUE)
    #expect(
      Answer.of { fg_encode_bytes(&caller.image, nil, nil, &data, $0, $1) }.status == FG_OK)
    #expect(try StillDecoder().decode(.bytes(taken(data))).image.bytes[..<4] == [64, 0, 0, 255])
    caller.image.alpha = Int32(FG_PREMULTIPLIED)
    var options = fg_encode_options()
    options.struct_size = MemoryLayout<fg_encode_options>.stride
    try ["ppm", "#00f"].map { strdupped($0) }.withUnsafeBufferPointer { texts in
      defer { texts.forEach { $0.deallocate() } }
      (options.format, options.background) = (UnsafePointer(texts[0]), UnsafePointer(texts[1]))
      let answer = Answer.of {
        fg_encode_bytes(&caller.image, nil, &options, &data, $0, $1)
      }
      #expect(answer == Answer(status: FG_OK, error: ""))
      let ppm = try StillDecoder().decode(.bytes(taken(data))).image
      #expect(Array(ppm.bytes[..<3]) == [64, 0, 127])
    }
  }

  @Test func whatCannotBeMeantIsRefused() async throws {
    try await inThread { try whatCannotBeMeantIsRefusedNow() }
  }

  private func whatCannotBeMeantIsRefusedNow() throws {
    let engine = try engine(FG_BACKEND_FAST)
    defer { fg_engine_free(engine) }
    let file = try made()
    var (data, picture): (OpaquePointer?, OpaquePointer?) = (nil, nil)
    func applying(
      _ bytes: [UInt8]?, _ count: Int, _ filters: String? = "blur(2px)",
      _ change: (inout fg_file_options) -> Void = { _ in }
    ) -> Int {
      var options = fg_file_options()
      options.struct_size = MemoryLayout<fg_file_options>.stride
      change(&options)
      let answer = Answer.of { error, size in
        bytes?.withUnsafeBytes { bytes in
          fg_apply_bytes(
            engine, filters, bytes.baseAddress, count, &options, &data, nil, error, size)
        } ?? fg_apply_bytes(engine, filters, nil, count, &options, &data, nil, error, size)
      }
      #expect(data == nil && !answer.error.isEmpty, "\(answer)")
      return answer.status
    }
    #expect(applying(nil, 10) == FG_BAD_ARGUMENT)
    #expect(applying(file, -1) == FG_BAD_ARGUMENT)
    #expect(applying(file, .max) == FG_TOO_LARGE)
    #expect(applying(file, 0) == FG_BAD_FILE)
    #expect(applying(file, file.count / 2) == FG_BAD_FILE)
    #expect(applying(Array("words".utf8), 5) == FG_BAD_FILE)
    #expect(applying(file, file.count, nil) == FG_BAD_ARGUMENT)
    #expect(applying(file, file.count, "blurr(2px)") == FG_BAD_TEXT)
    #expect(applying(file, file.count) { $0.struct_size = 8 } == FG_BAD_ARGUMENT)
    for seconds in [-1, .nan, .infinity, 1e300] as [Double] {
      #expect(applying(file, file.count) { $0.seconds = seconds } == FG_BAD_ARGUMENT)
    }
    var decoding = fg_decode_options()
    decoding.struct_size = MemoryLayout<fg_decode_options>.stride
    for (change, status): ((inout fg_decode_options) -> Void, Int) in [
      ({ $0.most_pixels = 10 }, FG_TOO_LARGE), ({ $0.memory_limit = 10 }, FG_TOO_LARGE),
      ({ $0.frame = 7 }, FG_BAD_VALUE), ({ $0.frame = .min }, FG_BAD_ARGUMENT),
      ({ $0.keep_profile = 2 }, FG_BAD_ARGUMENT), ({ $0.reserved = 1 }, FG_BAD_ARGUMENT),
    ] {
      var options = decoding
      change(&options)
      withUnsafePointer(to: options) { options in
        #expect(applying(file, file.count) { $0.decode = options } == status)
        #expect(
          Answer.of { fg_decode_bytes(file, file.count, options, &picture, $0, $1) }.status
            == status)
      }
    }
    // A name that is free: a file that is there is refused first.
    let free = "/tmp/frostglass-c-\(UInt64.random(in: 0 ... .max))"
    #expect(
      Answer.of { fg_apply_file(engine, "none", "/no/such.png", free + ".png", nil, nil, $0, $1) }
        .status == FG_NO_INPUT)
    #expect(
      Answer.of { fg_decode_file("", nil, &picture, $0, $1) }.status == FG_BAD_ARGUMENT)
    #expect(Answer.of { fg_decode_file(nil, nil, nil, $0, $1) }.status == FG_BAD_ARGUMENT)
    let caller = CallerImage(Self.image)
    #expect(
      Answer.of { fg_encode_file(&caller.image, nil, "/no/such/a.png", nil, $0, $1) }.status
        == FG_CANNOT_WRITE)
    #expect(
      Answer.of { fg_encode_file(&caller.image, nil, free + ".docx", nil, $0, $1) }.status
        == FG_CANNOT_WRITE)
    #expect(
      Answer.of { fg_encode_bytes(&caller.image, engine, nil, &data, $0, $1) }
        == Answer(status: FG_BAD_HANDLE, error: "the picture is an engine"))
    #expect(Answer.of { fg_data_bytes(engine, nil, nil, $0, $1) }.status == FG_BAD_HANDLE)
  }

  @Test func wrongBackends() {
    var options = fg_backend_options()
    var engine: OpaquePointer?
    func creating(_ change: (inout fg_backend_options) -> Void) -> Int {
      options.struct_size = MemoryLayout<fg_backend_options>.stride
      (options.backend, options.threads, options.devices) = (0, 0, nil)
      change(&options)
      let status = Answer.of { fg_engine_create_on(&options, &engine, $0, $1) }.status
      #expect(engine == nil)
      return status
    }
    #expect(creating { $0.backend = 4 } == FG_BAD_ARGUMENT)
    #expect(creating { $0.backend = -1 } == FG_BAD_ARGUMENT)
    #expect(creating { $0.threads = 1025 } == FG_BAD_ARGUMENT)
    #expect(creating { $0.struct_size = 0 } == FG_BAD_ARGUMENT)
    let devices = strdupped("0")
    defer { devices.deallocate() }
    #expect(creating { $0.devices = UnsafePointer(devices) } == FG_BAD_ARGUMENT)
  }

  /// Progress comes in the caller's thread, and ends the work where it says so.
  @Test func progressIsToldAndMayEndTheWork() async throws {
    try await inThread { try progressIsToldAndMayEndTheWorkNow() }
  }

  private func progressIsToldAndMayEndTheWorkNow() throws {
    final class Told {
      let thread = pthread_self()
      var (shares, strangers, limit) = ([Double](), 0, Int.max)
    }
    let engine = try engine(FG_BACKEND_FAST)
    defer { fg_engine_free(engine) }
    let file = try StillEncoder().encode(TestImages.noise(300, 400, .rgb8), as: .png)
    for limit in [Int.max, 0] {
      let told = Told()
      told.limit = limit
      var run = fg_run_options()
      run.struct_size = MemoryLayout<fg_run_options>.stride
      run.context = Unmanaged.passUnretained(told).toOpaque()
      run.progress = { context, done in
        guard let context else { return 1 }
        let told = Unmanaged<Told>.fromOpaque(context).takeUnretainedValue()
        told.shares.append(done)
        if pthread_equal(told.thread, pthread_self()) == 0 { told.strangers += 1 }
        return told.shares.count > told.limit ? 1 : 0
      }
      var (options, data): (fg_file_options, OpaquePointer?) = (fg_file_options(), nil)
      options.struct_size = MemoryLayout<fg_file_options>.stride
      let answer = withUnsafePointer(to: run) { run in
        options.run = run
        return Answer.of {
          fg_apply_bytes(
            engine, "median(2)", file, file.count, &options, &data, nil, $0, $1)
        }
      }
      #expect(told.strangers == 0 && told.shares == told.shares.sorted())
      if limit == .max {
        #expect(answer.status == FG_OK && told.shares.first == 0 && told.shares.last == 1)
        _ = taken(data)
      } else {
        #expect(answer == Answer(status: FG_CANCELLED, error: "cancelled"))
        #expect(data == nil)
      }
    }
  }

  /// By its context, without a callback: it would take minutes.
  @Test func anotherThreadStopsFileWork() async throws {
    let engine = try engine(FG_BACKEND_FAST)
    defer { fg_engine_free(engine) }
    let file = try StillEncoder().encode(TestImages.noise(3000, 3000, .rgb8), as: .png)
    let context = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
    defer { context.deallocate() }
    // The engine and the context stay until the work has ended.
    nonisolated(unsafe) let (runs, known) = (engine, context)
    async let status = ThreadPool().run { () -> fg_status in
      var run = fg_run_options()
      run.struct_size = MemoryLayout<fg_run_options>.stride
      run.context = known
      var (options, data): (fg_file_options, OpaquePointer?) = (fg_file_options(), nil)
      options.struct_size = MemoryLayout<fg_file_options>.stride
      return withUnsafePointer(to: run) { run in
        options.run = run
        return fg_apply_bytes(runs, "median(15)", file, file.count, &options, &data, nil, nil, 0)
      }
    }
    var tries = 0
    while fg_cancel(context) == 0, tries < 60_000 {
      tries += 1
      try await Task.sleep(for: .milliseconds(1))
    }
    #expect(await status == fg_status(FG_CANCELLED))
    #expect(fg_cancel(context) == 0)
  }
}

/// Does something in a thread of its own.
private func inThread(_ body: @escaping @Sendable () throws -> Void) async throws {
  try await ThreadPool().run(body)
}
