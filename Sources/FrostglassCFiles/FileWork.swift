// Functions are named as the header names them.
// swift-format-ignore-file: AlwaysUseLowerCamelCase
internal import CFrostglass
public import CFrostglassFiles
internal import Frostglass
internal import FrostglassC
internal import FrostglassCore
internal import FrostglassStills

/// A caller's request to process one file into another.
private struct FileWork {
  private let pipeline: Pipeline
  private let job: Job
  private let progress: Progress?
  /// The context that `fg_cancel` finds the work by.
  private let context: UnsafeMutableRawPointer?
  private let info: UnsafeMutablePointer<fg_file_info>?

  /// - Parameter sink: makes the sink for the options of writing.
  init(
    _ engine: OpaquePointer?, _ filters: UnsafePointer<CChar>?, _ source: StillSource,
    _ options: UnsafePointer<fg_file_options>?, _ info: UnsafeMutablePointer<fg_file_info>?,
    _ sink: (FileWriting) -> StillSink
  ) throws {
    let engine = try Handles.all.object(engine, Engine.self)
    // An engine of the smaller library's function is on the CPU.
    pipeline =
      engine.companion as? Pipeline
      ?? Pipeline(backend: .fast, threads: engine.threads == 0 ? nil : engine.threads)
    try Handles.all.checkNotCalling()
    try Waiting.check()
    if let info { _ = try structure(UnsafePointer(info), "fg_file_info") }
    self.info = info
    var given = fg_file_options()
    if let options { given = try structure(options, "fg_file_options") }
    guard given.seconds >= 0, given.seconds <= 1e9 else {
      throw Failure(FG_BAD_ARGUMENT, "seconds is \(given.seconds); it must be from 0 to 10⁹")
    }
    progress = try Progress(given.run)
    context = try given.run.map { try structure($0, "fg_run_options").context } ?? nil
    let decoding = try DecodeOptions(given.decode, memoryLimit: engine.memoryLimit)
    let writing = try FileWriting(given.encode)
    let recipe = Recipe(
      try Self.chain(filters),
      options: try given.plan.map { plan in
        try Self.planning(structure(plan, "fg_plan_options"), source, decoding)
      } ?? PlanOptions(), background: writing.background)
    job = Job(
      source: source, recipe: recipe, sink: sink(writing), format: writing.format,
      decoding: decoding, encoding: writing.options,
      deadline: given.seconds > 0 ? .now + .seconds(given.seconds) : nil)
  }

  private static func chain(_ filters: UnsafePointer<CChar>?) throws -> FilterChain {
    guard let filters else { throw Failure(FG_BAD_ARGUMENT, "the text of filters is null") }
    let text = try text(filters, "filters")
    if text.allSatisfy(\.isWhitespace) { return [] }
    return try FilterChain(text: text)
  }

  private static func planning(
    _ options: fg_plan_options, _ source: StillSource, _ decoding: DecodeOptions
  ) throws -> PlanOptions {
    var size = Size(width: 1, height: 1)
    if let mask = options.mask, try structure(mask, "fg_mask").picture != nil {
      // A mask image has the size of the input.
      size = try StillDecoder(decoding).header(of: source).size
    }
    return try PlanOptions(options, for: size)
  }

  /// Runs the work while the caller's thread waits.
  func run() throws {
    let (pipeline, job) = (pipeline, job)
    let cancellation = Cancellation()
    let report = try Handles.all.running(context, cancellation) {
      try Waiting.wait(
        until: cancellation, telling: progress.map { progress in { progress.tell($0) } }
      ) { tell throws(FrostglassError) in
        try await pipeline.run(job) { tell($0.fraction) }
      }
    }
    _ = progress?.tell(1)
    if let info { Self.fill(info, report) }
  }

  private static func fill(_ info: UnsafeMutablePointer<fg_file_info>, _ report: Report) {
    let result = report.plan.result
    info.pointee.width = Int64(result.rect.width)
    info.pointee.height = Int64(result.rect.height)
    info.pointee.frames = Int64(report.outputs.first?.frames ?? 1)
    info.pointee.certified_error = result.certifiedError.total
    put(report.backend, into: &info.pointee.backend)
    put(report.outputs.first?.format.rawValue ?? "", into: &info.pointee.format)
  }

  /// - Parameter room: a C array of characters as Swift imports it.
  private static func put<Room>(_ text: String, into room: inout Room) {
    withUnsafeMutableBytes(of: &room) { room in
      TextRoom(room.baseAddress?.assumingMemoryBound(to: CChar.self), room.count).write(text)
    }
  }
}

/// Filters one file into another: see the header.
@c(fg_apply_file) @implementation
public func fg_apply_file(
  _ engine: OpaquePointer?, _ filters: UnsafePointer<CChar>?, _ input: UnsafePointer<CChar>?,
  _ output: UnsafePointer<CChar>?, _ options: UnsafePointer<fg_file_options>?,
  _ info: UnsafeMutablePointer<fg_file_info>?, _ error: UnsafeMutablePointer<CChar>?,
  _ errorSize: Int
) -> fg_status {
  answering(error, errorSize) {
    let target = try path(output, "output")
    try FileWork(engine, filters, .file(path(input, "input")), options, info) { $0.sink(target) }
      .run()
  }
}

/// Filters a file's bytes into bytes: see the header.
@c(fg_apply_bytes) @implementation
public func fg_apply_bytes(
  _ engine: OpaquePointer?, _ filters: UnsafePointer<CChar>?, _ start: UnsafeRawPointer?,
  _ size: Int, _ options: UnsafePointer<fg_file_options>?,
  _ data: UnsafeMutablePointer<OpaquePointer?>?, _ info: UnsafeMutablePointer<fg_file_info>?,
  _ error: UnsafeMutablePointer<CChar>?, _ errorSize: Int
) -> fg_status {
  answering(error, errorSize) {
    guard let data else { throw Failure(FG_BAD_ARGUMENT, "the place for the data is null") }
    data.pointee = nil
    let made = EncodedFile()
    try FileWork(engine, filters, .bytes(bytes(start, size)), options, info) { _ in .memory(made) }
      .run()
    data.pointee = Handles.all.add(MadeBytes(made.bytes ?? []))
  }
}
