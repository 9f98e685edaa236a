package import Frostglass
internal import FrostglassCore
package import FrostglassOptions
internal import FrostglassScenes
package import FrostglassStills
internal import Synchronization

/// Does the work of orders in this process.
///
/// Child processes run it for the service; in the process that talks to clients it is for debugging.
package struct InProcessWorker: Worker {
  private let pipeline: Pipeline
  /// The face detector; `nil` if there is none.
  private let finder: (any ImageFinder)?
  private let gpu = GPUMemory()

  /// The GPU memory in use after the last order, in bytes; `nil` if no GPU was used.
  private final class GPUMemory: Sendable {
    let bytes = Mutex<Int?>(nil)
  }

  package init(_ pipeline: Pipeline, finder: (any ImageFinder)? = nil) {
    self.pipeline = pipeline
    self.finder = finder
  }

  package var metrics: [MetricFamily] {
    gpu.bytes.withLock { $0 }.map { [.gpuMemory($0)] } ?? []
  }

  package func perform(_ order: WorkOrder) async -> WorkAnswer {
    var answer = await answer(order)
    let bytes = await pipeline.selector.gpuMemory()
    gpu.bytes.withLock { $0 = bytes }
    answer.gpuBytes = bytes
    return answer
  }

  private func answer(_ order: WorkOrder) async -> WorkAnswer {
    guard let operation = Operation(rawValue: order.operation) else {
      return Problem(404, "no-such-operation", "there is no such operation").answer
    }
    do {
      // Parsing text takes time, too.
      try WorkCost.putOff(
        WorkCost.secondsPerByte * Double(order.parts["regions"]?.count ?? 0), order.limits)
    } catch { return error.answer }
    let order = PreparedOrder(order)
    return await ReadingTime.$end.withValue(order.deadline) {
      do throws(Problem) {
        return try await done(operation, order)
      } catch {
        // Parsers report an exceeded deadline as an error in the text.
        return (ReadingTime.isOver ? Problem(FrostglassError.deadlineExceeded) : error).answer
      }
    }
  }

  private func done(
    _ operation: Operation, _ order: PreparedOrder
  ) async throws(Problem) -> WorkAnswer {
    switch operation {
    case .blur: try await blur(order)
    case .redact: try await redact(order)
    case .fill: try await fill(order)
    case .placeholder: try await placeholder(order)
    case .scene: try await scene(order)
    case .plan: try await plan(order)
    case .find: try await find(order)
    }
  }

  private func blur(_ order: PreparedOrder) async throws(Problem) -> WorkAnswer {
    let recipe = try order.recipe()
    var (job, output, input) = try order.job(recipe.recipe)
    let search = try asked { () throws(Failure) in try order.search() }
    try await check(job, input, order, search)
    if search != nil {
      // Trying the filters is work, too, of which a small image says nothing.
      let plan = try asked { () throws(Failure) in
        try CoverCheck.plan(recipe.recipe.chain, recipe.recipe.options)
      }
      try WorkCost(
        plan: plan, frames: CoverCheck.probes, decoded: 0, pixels: 0, as: input.format, effort: nil
      ).check(order.limits)
      try asked { () throws(Failure) in try recipe.demandCover() }
    }
    let regions = try await found(search, job, beside: recipe.mask)
    if let regions { job.outputs[0].recipe = regions.restricted(recipe.recipe) }
    let report = try await run(job)
    var answer = try order.answer(output, report, input)
    answer.note(recipe.mask?.remarks ?? [])
    answer.note(regions?.notes(for: report.plan, scale: recipe.recipe.options.scale) ?? [])
    answer.note(found: regions?.search)
    return answer
  }

  private func redact(_ order: PreparedOrder) async throws(Problem) -> WorkAnswer {
    let (method, given, recipe) = try asked { () throws(Failure) in try order.redaction() }
    try order.check(given)
    let audit = try order.auditPlace()
    var (job, output, input) = try order.job(recipe, redacts: true)
    let search = try asked { () throws(Failure) in try order.search() }
    try await check(job, input, order, search)
    let regions = try await found(search, job, beside: given) ?? given
    job.outputs[0].recipe = try asked { () throws(Failure) in
      try order.recipe(method, covering: regions)
    }
    let report: Report
    do { report = try await pipeline.run(job) } catch {
      throw regions.refusal(error).map {
        Problem(422, "doubtful", Problem.inFieldWords($0.message))
      } ?? Problem(error)
    }
    var answer = try order.answer(output, report, input)
    // Only the first notes are sent: this one always is.
    let warnings = method.warning.map { [Problem.inFieldWords($0)] } ?? []
    answer.note(
      warnings + regions.remarks
        + regions.notes(for: report.plan, scale: recipe.options.scale))
    answer.note(found: regions.search)
    guard let audit else { return answer }
    let text = RedactionAudit(
      job: job, method: method, mask: regions, size: report.plan.inputs[0].size,
      inputDigest: FileDigest.sha256(of: job.source),
      outputDigest: FileDigest.sha256(of: job.outputs[0].sink), hasTime: false
    ).text
    return try answer.with(audit: text, audit)
  }

  private func find(_ order: PreparedOrder) async throws(Problem) -> WorkAnswer {
    let (job, _, input) = try order.job(Recipe([]))
    let search = try asked { () throws(Failure) in try order.search(isAsked: true) }
    guard let finder, let search else { throw .noFind }
    try WorkCost(
      plan: nil, frames: input.frames, decoded: input.pixels, pixels: 0, as: input.format,
      effort: nil,
      finding: WorkCost.finding(search, in: input.size, frames: input.frames)
    ).check(order.limits)
    let record = try await record(search, job, for: nil, by: finder)
    var answer = WorkAnswer(json: finder.file(record, named: "picture"))
    answer.fields.append(.decoded(pixels: input.pixels))
    answer.note(found: record)
    return answer
  }

  /// Finds faces in the image of a job.
  ///
  /// - Returns: the given regions and those found; `given` itself if no search is requested.
  private func found(
    _ search: FindOptions?, _ job: Job, beside given: RegionOptions?
  ) async throws(Problem) -> RegionOptions? {
    guard let search, let given else { return given }
    guard let finder else { throw .noFind }
    return given.adding(try await record(search, job, for: job.outputs[0], by: finder))
  }

  /// - Throws: `Problem` with 422 where nothing is to be covered, unless that is allowed.
  private func record(
    _ search: FindOptions, _ job: Job, for output: Job.Output?, by finder: any ImageFinder
  ) async throws(Problem) -> FindRecord {
    let record: FindRecord
    do {
      record = try await finder.record(
        of: job.source, job.decoding, for: output, search)
    } catch { throw Problem(error) }
    guard record.found.covered.isEmpty, !search.allowsNone else { return record }
    throw Problem(
      422, "nothing-found",
      Problem.inFieldWords(search.nothing(in: "the image", [record]).message))
  }

  private func fill(_ order: PreparedOrder) async throws(Problem) -> WorkAnswer {
    let output = EncodedFile()
    let (letterbox, background) = try asked { () throws(Failure) in
      (try Letterbox(order.arguments), try order.arguments.background())
    }
    let (job, _, input) = try order.job(Recipe([], background: background))
    let fill = FillJob(
      source: job.source, letterbox: letterbox, sink: .memory(output),
      format: job.outputs[0].format,
      background: background, decoding: job.decoding, encoding: job.outputs[0].encoding,
      deadline: job.deadline)
    let made = try await done { () async throws(FrostglassError) in try pipeline.check(fill) }
    try WorkCost(
      plan: nil, frames: 1, decoded: input.pixels,
      pixels: made.sizes.reduce(0) { $0 + $1.area } * (made.frames.first ?? 1),
      as: fill.format ?? input.format, effort: fill.encoding.effort
    ).check(order.limits)
    let filled = try await done { () async throws(FrostglassError) in
      try await pipeline.fill(fill)
    }
    var fields = [
      Field.decoded(pixels: input.pixels),
      .encoded(pixels: filled.geometry.canvas.area * filled.frames),
      Field("X-Frostglass-Recoveries", "\(filled.recoveries.count)"),
    ]
    let leftOut = max(input.framesLeftOut, filled.framesLeftOut) + filled.input.unreadFrames
    if leftOut > 0 { fields.append(Field("X-Frostglass-Frames-Left-Out", "\(leftOut)")) }
    var answer = try WorkAnswer(picture: output, fields)
    answer.note(onFramesLeftOut: leftOut)
    answer.note(filled.input.remarks.map { "the image \($0)" })
    return answer
  }

  private func placeholder(_ order: PreparedOrder) async throws(Problem) -> WorkAnswer {
    var options = try asked { () throws(Failure) in try Placeholder.Options(order.arguments) }
    options.decoding = order.limited(options.decoding)
    let found = try await done { [options] () async throws(FrostglassError) in
      try await pipeline.placeholder(of: order.picture, options: options, deadline: order.deadline)
    }
    return WorkAnswer(json: found.json())
  }

  private func plan(_ order: PreparedOrder) async throws(Problem) -> WorkAnswer {
    let recipe = try order.recipe()
    var job = try order.job(recipe.recipe).job
    // A preset's search: faces may fill the image.
    if try asked({ () throws(Failure) in try order.search() }) != nil {
      job.outputs[0].recipe.options.mask = nil
    }
    let estimate = try await done { () async throws(FrostglassError) in
      try await pipeline.estimate(apart: job)
    }
    return WorkAnswer(json: estimate.plan.json(recipe.recipe.chain, estimate.need))
  }

  private func scene(_ order: PreparedOrder) async throws(Problem) -> WorkAnswer {
    let output = EncodedFile()
    let job = try order.sceneJob(to: .memory(output))
    let report = try await done { () async throws(FrostglassError) in
      try await pipeline.render(job)
    }
    return try WorkAnswer(
      picture: output,
      [
        Field("X-Frostglass-Backend", report.backend),
        Field("X-Frostglass-Frames", "\(report.frames)"),
        .encoded(pixels: report.frames * report.size.area),
        Field("X-Frostglass-Recoveries", "\(report.recoveries.count)"),
      ])
  }

  /// Refuses what takes too much work, before any of it is done.
  private func check(
    _ job: Job, _ input: PreparedOrder.Input, _ order: PreparedOrder, _ search: FindOptions?
  ) async throws(Problem) {
    guard order.limits.maxWork != nil || order.limits.lightWork != nil else { return }
    var job = job
    // The faces are not known yet: they may fill the image.
    if search != nil { job.outputs[0].recipe.options.mask = nil }
    let estimate: Job.Estimate
    do { estimate = try await pipeline.estimate(apart: job) } catch {
      // The run reports the same, worded for the operation.
      return
    }
    let output = job.outputs[0]
    let format = output.format ?? input.format
    let frames = format.canAnimate ? input.frames : 1
    try WorkCost(
      plan: pipeline.selector.options.choice == .gl ? nil : estimate.plan, frames: frames,
      decoded: input.pixels,
      scaled: (job.decoding.resize ?? output.encoding.resize)
        .map { $0.largest(of: input.size).area * input.frames } ?? 0,
      pixels: estimate.sizes[0].area * frames, as: format,
      effort: output.encoding.effort,
      finding: WorkCost.finding(search, in: input.size, frames: frames)
    ).check(order.limits)
  }

  private func run(_ job: Job) async throws(Problem) -> Report {
    try await done { () async throws(FrostglassError) in try await pipeline.run(job) }
  }

  private func done<Value>(
    _ body: () async throws(FrostglassError) -> Value
  ) async throws(Problem) -> Value {
    do { return try await body() } catch { throw Problem(error) }
  }
}

extension MetricFamily {
  /// Returns the metric of the GPU memory in use.
  static func gpuMemory(_ bytes: Int) -> MetricFamily {
    MetricFamily(
      "gpu_memory_bytes", .gauge,
      "Bytes of textures and buffers on GPUs, after the last requests.", bytes)
  }
}

/// Reads what was asked for.
func asked<Value>(_ body: () throws(Failure) -> Value) throws(Problem) -> Value {
  do { return try body() } catch { throw Problem(error) }
}

extension Field {
  /// Returns the header field with the number of pixels decoded in all frames, for metrics.
  fileprivate static func decoded(pixels: Int) -> Field {
    Field("X-Frostglass-Decoded-Pixels", "\(pixels)")
  }

  /// Returns the header field with the number of pixels encoded in all frames, for metrics.
  fileprivate static func encoded(pixels: Int) -> Field {
    Field("X-Frostglass-Encoded-Pixels", "\(pixels)")
  }
}

extension WorkAnswer {
  fileprivate init(json: String) {
    self.init(status: 200, contentType: "application/json", body: Array(json.utf8))
  }

  /// - Throws: `Problem` where nothing was written, which is ours.
  fileprivate init(picture file: EncodedFile, _ fields: [Field]) throws(Problem) {
    guard let bytes = file.bytes, let format = StillFormat(signature: bytes) else {
      throw Problem(500, "no-result", "there is no result")
    }
    self.init(status: 200, contentType: format.mediaType, fields: fields, body: bytes)
  }

  /// Says how many faces were found, and how many were seen and are not covered.
  fileprivate mutating func note(found record: FindRecord?) {
    guard let record else { return }
    fields.append(Field("X-Frostglass-Found", "\(record.found.covered.count)"))
    note([FindRecord.words([record], hint: "a lower find-score takes more")])
  }

  /// Says that frames, pages or images of the file are not in the answer.
  fileprivate mutating func note(onFramesLeftOut count: Int) {
    guard count > 0 else { return }
    let (verb, kept) = (count == 1 ? "is" : "are", "the answer holds one")
    note(["\(count) of the image's frames or pages \(verb) left out; \(kept)"])
  }

  /// Adds a note for the client.
  fileprivate mutating func note(_ notes: [String]) {
    guard !notes.isEmpty else { return }
    // The first ones suffice; headers have a limited size.
    let words = notes.prefix(4).joined(separator: "; ")
    // Labels and keywords come from files, in any letters.
    let text = AnswerCheck.value(of: String(words.prefix(1000)))
      .replacing("\\", with: "\\\\").asciiJSON
    if let index = fields.firstIndex(where: { $0.name == "X-Frostglass-Note" }) {
      fields[index].value = AnswerCheck.value(of: "\(fields[index].value); \(text)")
    } else {
      fields.append(Field("X-Frostglass-Note", AnswerCheck.value(of: text)))
    }
  }

  /// With what a redaction did.
  fileprivate func with(
    audit text: String, _ place: PreparedOrder.AuditPlace
  ) throws(Problem) -> WorkAnswer {
    var answer = self
    switch place {
    case .header:
      let line = text.split(separator: "\n").map { $0.drop { $0 == " " } }.joined().asciiJSON
      guard line.utf8.count <= 4096 else {
        throw .badRequest("the audit is too long for a header; ask for audit=part")
      }
      answer.fields.append(Field("X-Frostglass-Audit", line))
    case .part:
      let boundary = "frostglass-" + FileDigest.sha256(of: body).prefix(32)
      func head(_ name: String, _ type: String) -> [UInt8] {
        Array(
          ("--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n"
            + "Content-Type: \(type)\r\n\r\n").utf8)
      }
      answer.body =
        head("audit", "application/json") + Array(text.utf8) + Array("\r\n".utf8)
        + head("picture", contentType) + body + Array("\r\n--\(boundary)--\r\n".utf8)
      answer.contentType = "multipart/form-data; boundary=\(boundary)"
    }
    return answer
  }
}

extension PreparedOrder {
  /// Returns the answer with a finished job's file, and facts about how it was made.
  fileprivate func answer(
    _ file: EncodedFile, _ report: Report, _ input: Input
  ) throws(Problem) -> WorkAnswer {
    var fields = [
      Field("X-Frostglass-Backend", report.backend),
      Field(
        "X-Frostglass-Certified-Error",
        decimal(report.plan.certifiedError.total + 0.0005, places: 3)),
      Field(
        "Server-Timing",
        report.timings.map {
          "\($0.stage.rawValue);dur=\(decimal($0.duration / .milliseconds(1), places: 1))"
        }.joined(separator: ", ")),
      .decoded(pixels: input.pixels),
      .encoded(
        pixels: report.outputs.reduce(0) { $0 + $1.size.area * $1.frames }),
      Field("X-Frostglass-Recoveries", "\(report.recoveries.count)"),
    ]
    let framesLeftOut =
      max(input.framesLeftOut, report.outputs.map(\.framesLeftOut).max() ?? 0)
      + report.input.unreadFrames
    if framesLeftOut > 0 {
      fields.append(Field("X-Frostglass-Frames-Left-Out", "\(framesLeftOut)"))
    }
    var answer = try WorkAnswer(picture: file, fields)
    answer.note(onFramesLeftOut: framesLeftOut)
    answer.note(report.input.remarks.map { "the image \($0)" })
    for output in report.outputs {
      if output.hasHardEdges {
        answer.note([
          "the answer is a GIF, whose pixels are transparent or not: soft edges became hard"
        ])
      }
      if output.changesOutside { answer.note(["the answer \(output.wordsOnColors)"]) }
      if !output.metadataLeftOut.isEmpty {
        answer.note([
          "the answer is without the image's \(output.metadataLeftOut.joined(separator: ", "))"
        ])
      }
    }
    return answer
  }
}

extension Plan {
  /// Returns the plan as JSON; its `text` is for people.
  fileprivate func json(_ chain: FilterChain, _ need: MemoryNeed) -> String {
    let size = result.rect.size
    return JSONText.object([
      ("filters", JSONText.string(chain.text)),
      ("width", "\(size.width)"), ("height", "\(size.height)"),
      ("passes", "\(steps.count)"),
      ("multiplyAddsPerPixel", decimal(multiplyAddsPerPixel, places: 1)),
      (
        "certifiedError",
        JSONText.object([
          ("total", decimal(certifiedError.total + 0.0005, places: 3)),
          ("kernel", decimal(certifiedError.kernel, places: 3)),
          ("model", decimal(certifiedError.model, places: 3)),
          ("arithmetic", decimal(certifiedError.arithmetic, places: 3)),
          ("unit", JSONText.string("levels of 255")),
        ])
      ),
      (
        "memory",
        JSONText.object([("byRows", "\(need.byRows)"), ("whole", "\(need.whole)")])
      ),
      ("text", JSONText.string(description)),
    ])
  }
}

extension String {
  /// JSON whose strings have no letters beyond ASCII, and nothing else that no field's value can have.
  fileprivate var asciiJSON: String {
    var text = ""
    for unit in utf16 {
      if unit < 0x7F, let scalar = Unicode.Scalar(unit) {
        text.unicodeScalars.append(scalar)
      } else {
        let digits = String(unit, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
    return text
  }
}

/// A search for faces in images, which a worker has made ready before it goes behind its walls.
///
/// The networks run in a process of their own, with walls of its own: this one only hands it pixels.
package protocol ImageFinder: Sendable {
  /// False once that process is gone: behind walls no other can be started.
  var canSearch: Bool { get }

  /// Searches an image.
  ///
  /// - Parameters:
  ///   - decoding: as the image is read for what is done with it: places are those of that image.
  ///   - output: what is written; where that is a still, only its frame of an animation is searched. `nil` takes all.
  /// - Throws: `Failure` with words for the one who asked.
  func record(
    of source: StillSource, _ decoding: DecodeOptions, for output: Job.Output?,
    _ options: FindOptions
  ) async throws(Failure) -> FindRecord

  /// Returns the faces of an image as a file that `regions` takes.
  func file(_ record: FindRecord, named name: String) -> String
}
