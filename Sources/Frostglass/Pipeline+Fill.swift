public import FrostglassCore
public import FrostglassStills

/// An image to fit on a canvas of another shape.
public struct FillJob: Sendable {
  /// The source of the image.
  public var source: StillSource
  /// The canvas, and what fills it.
  public var letterbox: Letterbox
  /// The destination of the result.
  public var sink: StillSink
  /// The output's format; `nil` takes it from the path's extension, and for standard output from
  /// the input.
  public var format: StillFormat?
  /// The color behind transparent images where the output has no alpha.
  public var background: Color
  /// The decoding options and limits.
  public var decoding: DecodeOptions
  /// The encoding options.
  public var encoding: EncodeOptions
  /// The time at which an unfinished job is cancelled; `nil` for never.
  public var deadline: ContinuousClock.Instant?

  /// Creates a job; options left out have their defaults.
  public init(
    source: StillSource, letterbox: Letterbox, sink: StillSink, format: StillFormat? = nil,
    background: Color = .white, decoding: DecodeOptions = DecodeOptions(),
    encoding: EncodeOptions = EncodeOptions(), deadline: ContinuousClock.Instant? = nil
  ) {
    self.source = source
    self.letterbox = letterbox
    self.sink = sink
    self.format = format
    self.background = background
    self.decoding = decoding
    self.encoding = encoding
    self.deadline = deadline
  }
}

/// The result of letterboxing an image.
public struct FillReport: Sendable {
  /// The layout of the canvas.
  package var geometry: Letterbox.Geometry
  /// The header of the input.
  public var input: StillHeader
  /// Frames that were written.
  public var frames: Int
  /// Frames of the input that were left out, as the output is a still.
  public var framesLeftOut: Int
  /// The metadata of the input that the output cannot hold, in words such as `IPTC`.
  public var metadataLeftOut: [String]
  /// The failures that were recovered from; usually empty.
  public var recoveries: [Recovery]
}

extension Pipeline {
  /// Fits an image on a canvas of another shape and fills the rest with its own blurred copy.
  ///
  /// The image is scaled by libvips, with Lanczos' kernel; one plan, which is that of videos, makes the canvas of
  /// it on the pipeline's backend. Orientation, color profiles and metadata are treated as when blurring. Of an animation
  /// every frame is, where the output can be one; all of them are in memory then.
  ///
  /// It is done on threads of its own. A cancelled task, and `FillJob.deadline`, end it with the step, row or
  /// pass that it is at.
  ///
  /// - Parameter progress: told when a stage begins.
  /// - Throws: `FrostglassError`; then nothing was written.
  @discardableResult
  public func fill(
    _ job: FillJob, progress: @escaping @Sendable (Report.Stage) -> Void = { _ in }
  ) async throws(FrostglassError) -> FillReport {
    try await apart(until: job.deadline) { cancellation throws(FrostglassError) in
      try await filled(job, cancellation, progress)
    }
  }

  private func filled(
    _ job: FillJob, _ cancellation: Cancellation, _ progress: (Report.Stage) -> Void
  ) async throws(FrostglassError) -> FillReport {
    progress(.decode)
    try mapEncode { () throws(EncodeError) in
      _ = try job.sink.format(job.format, input: .png)
      try job.sink.preflight()
    }
    let canvas = try prepared(job)
    try checkMemory(canvas.memory, for: canvas.reader, job.decoding)
    var (reader, format, frames) = (canvas.reader, canvas.format, canvas.frames)
    let inFile = job.decoding.frame == nil ? reader.header.frames : 1
    if frames > 1 {
      let still = reader
      reader = try mapped(
        FrostglassError.decode, StillDecoder(job.decoding).allFrames(of: still))
    }
    let size = canvas.geometry.foreground.size
    var recoveries: [Recovery] = []
    var results: [Image] = []
    for index in 0..<frames {
      try cancellation.checkJob()
      let picture = try mapped(
        FrostglassError.decode,
        frames == 1
          ? reader.image(scaledTo: size, .sharp)
          : reader.frame(index).scaled(to: size, .sharp))
      if index == 0 { progress(.execute) }
      let made = try await execute(canvas.plan, picture)
      recoveries += made.report.recoveries.newTo(recoveries)
      results.append(made.image)
    }
    let result = Image(stacking: results)

    progress(.encode)
    try encode(result, reader.metadata, as: format, job, cancellation)
    return FillReport(
      geometry: canvas.geometry, input: reader.finalHeader, frames: frames,
      framesLeftOut: inFile - frames,
      metadataLeftOut: job.encoding.strip ? [] : reader.metadata.leftOut(by: format),
      recoveries: recoveries)
  }

  /// Writes the result, unless the job is to stop before it has its place.
  private func encode(
    _ image: Image, _ metadata: StillMetadata, as format: StillFormat, _ job: FillJob,
    _ cancellation: Cancellation
  ) throws(FrostglassError) {
    let count = image.size.width * image.format.bytesPerPixel
    var y = 0
    let rows = StillRows(
      size: image.size, format: image.format,
      next: { target in
        try cancellation.check()
        let start = y * image.bytesPerRow
        image.withUnsafeBytes { bytes in
          UnsafeMutableRawBufferPointer(start: target, count: count)
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<start + count]))
        }
        y += 1
      }, finish: { try cancellation.check() })
    try StillEncoder(job.encoding).write(rows, metadata: metadata, as: format, to: job.sink)
  }

  /// About how many bytes filling takes at its peak, from the image's header alone.
  package func memory(for job: FillJob) throws(FrostglassError) -> Int {
    try prepared(job).memory
  }

  /// The same as for other jobs.
  package func check(_ job: FillJob) throws(FrostglassError) -> Check {
    try mapEncode { () throws(EncodeError) in
      _ = try job.sink.format(job.format, input: .png)
      try job.sink.preflight()
    }
    let canvas = try prepared(job)
    try checkMemory(canvas.memory, for: canvas.reader, job.decoding)
    return Check(sizes: [canvas.geometry.canvas], frames: [canvas.frames])
  }

  /// The facts known from an image's header.
  private struct Prepared {
    var reader: StillReader
    var format: StillFormat
    var geometry: Letterbox.Geometry
    /// Frames that are written.
    var frames: Int
    /// From the image at the size at which it is shown to the canvas.
    var plan: Plan
    /// About how many bytes filling takes at its peak.
    var memory: Int
  }

  private func prepared(_ job: FillJob) throws(FrostglassError) -> Prepared {
    let reader = try open(job.source, job.decoding)
    let format = try mapEncode { () throws(EncodeError) in
      try job.sink.format(job.format, input: reader.header.format)
    }
    let (geometry, plan) = try mapped(FrostglassError.plan, design(job, reader.header, format))
    let frames = format.canAnimate && job.decoding.frame == nil ? reader.header.frames : 1
    try mapEncode { () throws(EncodeError) in
      try format.checkSize(geometry.canvas, frames: frames)
    }
    let canvas = geometry.canvas.area * plan.result.format.bytesPerPixel
    // The frames that are done, and all of them as one image.
    let done = frames == 1 ? canvas : (2 * frames + 1) * canvas
    let encoding = StillEncoder(job.encoding).memory(
      geometry.canvas, frames: frames, plan.result.format, as: format, byRows: false)
    return Prepared(
      reader: reader, format: format, geometry: geometry, frames: frames, plan: plan,
      memory: done + reader.imageMemory(scaledTo: geometry.foreground.size)
        + max(selector.cpu.memory(for: plan, byRows: false), encoding))
  }

  private func design(
    _ job: FillJob, _ header: StillHeader, _ format: StillFormat
  ) throws(PlanError) -> (Letterbox.Geometry, Plan) {
    try job.letterbox.check()
    let geometry = try Letterbox.Geometry(
      job.letterbox, picture: header.size, mostPixels: job.decoding.maxPixels)
    var input = Plan.Input(header)
    input.size = geometry.foreground.size
    let plan = try job.letterbox.design(geometry, picture: input.size).plan(for: input)
    let kept = format.pixelFormat(preserving: plan.result.format)
    return (geometry, plan.storing(as: kept, on: job.background))
  }
}

extension Image {
  /// Frames of one size and format, one below the other, without gaps.
  fileprivate init(stacking frames: [Image]) {
    guard frames.count > 1 else {
      self = frames[0]
      return
    }
    let size = Size(width: frames[0].size.width, height: frames[0].size.height * frames.count)
    self.init(
      zeros: size, format: frames[0].format, alpha: frames[0].alpha, transfer: frames[0].transfer)
    let row = size.width * format.bytesPerPixel
    var y = 0
    for frame in frames {
      for line in 0..<frame.size.height {
        let source = line * frame.bytesPerRow
        bytes.replaceSubrange(
          y * bytesPerRow..<y * bytesPerRow + row, with: frame.bytes[source..<source + row])
        y += 1
      }
    }
  }
}
