/// One picture from where it is to a canvas of another shape.
public struct FillJob: Sendable {
  /// Where the picture is.
  public var source: StillSource
  /// The canvas, and what fills it.
  public var letterbox: Letterbox
  /// Where the result goes.
  public var sink: StillSink
  /// The output's format; `nil` takes it from the path's extension, and for standard output from
  /// the input.
  public var format: StillFormat?
  /// Behind transparent pictures where the output has no alpha.
  public var background: Color
  /// How it is read, and what is refused.
  public var decoding: DecodeOptions
  /// How the result is written.
  public var encoding: EncodeOptions
  /// When the job is given up if it is not done; `nil` for never.
  public var deadline: ContinuousClock.Instant?

  /// A job; what is left out is as usual.
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

/// What happened to a picture that was fitted on a canvas.
public struct FillReport: Sendable {
  /// Where everything is on the canvas.
  package var geometry: Letterbox.Geometry
  /// What was read.
  public var input: StillHeader
  /// Frames that were written.
  public var frames: Int
  /// Frames of the input that were left out, as the output is a still.
  public var framesLeftOut: Int
  /// What the input says beside its pixels and the output has no place for, in words such as `IPTC`.
  public var metadataLeftOut: [String]
  /// What failed on the way and was made good; empty in the usual case.
  public var recoveries: [Recovery]
}

extension Pipeline {
  /// Fits a picture on a canvas of another shape and fills the rest with its own blurred copy.
  ///
  /// The picture is scaled by libvips, with Lanczos' kernel; the copy is blurred on the pipeline's
  /// backend. Orientation, color profiles and metadata are treated as when blurring. Of an animation
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
    var (reader, format, geometry, frames) = try prepared(job)
    try checkMemory(need(of: job, geometry, reader, format, frames), for: reader, job.decoding)
    let inFile = job.decoding.frame == nil ? reader.header.frames : 1
    if frames > 1 {
      let still = reader
      reader = try mapped(
        FrostglassError.decode, StillDecoder(job.decoding).allFrames(of: still))
    }
    var recoveries: [Recovery] = []
    var results: [Image] = []
    for index in 0..<frames {
      try cancellation.checkJob()
      let foreground = try mapped(
        FrostglassError.decode,
        frames == 1
          ? reader.image(scaledTo: geometry.foreground.size, .sharp)
          : reader.frame(index).scaled(to: geometry.foreground.size, .sharp))
      if index == 0 { progress(.execute) }
      let canvas = LetterboxCanvas(
        geometry: geometry, foreground: foreground,
        backdrop: try await backdrop(job.letterbox, foreground, geometry, &recoveries),
        shadow: try await shadow(job.letterbox, foreground, geometry, &recoveries),
        shadowStrength: job.letterbox.shadow,
        background: job.background)
      results.append(
        try canvas.composed(as: format.pixelFormat(preserving: foreground.format), cancellation))
    }
    let result = Image(stacking: results)

    progress(.encode)
    try encode(result, reader.metadata, as: format, job, cancellation)
    return FillReport(
      geometry: geometry, input: reader.finalHeader, frames: frames, framesLeftOut: inFile - frames,
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

  /// About how many bytes filling takes at its peak, from the picture's header alone.
  package func memory(for job: FillJob) throws(FrostglassError) -> Int {
    let (reader, format, geometry, frames) = try prepared(job)
    return need(of: job, geometry, reader, format, frames)
  }

  /// The same as for other jobs.
  package func check(_ job: FillJob) throws(FrostglassError) -> Check {
    try mapEncode { () throws(EncodeError) in
      _ = try job.sink.format(job.format, input: .png)
      try job.sink.preflight()
    }
    let (reader, format, geometry, frames) = try prepared(job)
    try checkMemory(need(of: job, geometry, reader, format, frames), for: reader, job.decoding)
    return Check(sizes: [geometry.canvas], frames: [frames])
  }

  private func prepared(
    _ job: FillJob
  ) throws(FrostglassError) -> (StillReader, StillFormat, Letterbox.Geometry, frames: Int) {
    let reader = try open(job.source, job.decoding)
    let format = try mapEncode { () throws(EncodeError) in
      try job.sink.format(job.format, input: reader.header.format)
    }
    let geometry: Letterbox.Geometry
    do throws(PlanError) {
      try job.letterbox.check()
      geometry = try Letterbox.Geometry(
        job.letterbox, picture: reader.header.size, mostPixels: job.decoding.maxPixels)
    } catch { throw .plan(error) }
    let frames = format.canAnimate && job.decoding.frame == nil ? reader.header.frames : 1
    try mapEncode { () throws(EncodeError) in
      try format.checkSize(geometry.canvas, frames: frames)
    }
    return (reader, format, geometry, frames)
  }

  /// About how many bytes filling takes at its peak.
  private func need(
    of job: FillJob, _ geometry: Letterbox.Geometry, _ reader: StillReader, _ format: StillFormat,
    _ frames: Int
  ) -> Int {
    let pixels = reader.header.pixelFormat
    let decoding = reader.imageMemory(scaledTo: geometry.foreground.size)
    // The enlarged copy and the blurred one with two pictures of floats between them; or the blurred
    // one, the result and what the encoder keeps.
    let canvas = geometry.canvas.area
    let floats = 2 * pixels.layout.channels * MemoryLayout<Float>.size
    let kept = format.pixelFormat(preserving: pixels)
    let encoding = StillEncoder(job.encoding).memory(
      geometry.canvas, frames: frames, kept, as: format, byRows: false)
    // The frames that are done, and all of them as one picture.
    let done = frames == 1 ? 0 : 2 * frames * canvas * kept.bytesPerPixel
    return done + decoding + canvas * (2 * pixels.bytesPerPixel + 1)
      + max(canvas * floats, encoding)
  }

  /// The blurred copy, as large as the canvas. At its border it goes on mirrored.
  private func backdrop(
    _ letterbox: Letterbox, _ picture: Image, _ geometry: Letterbox.Geometry,
    _ recoveries: inout [Recovery]
  ) async throws(FrostglassError) -> Image {
    let enlarged = try mapped(
      FrostglassError.decode,
      picture.cropped(to: geometry.cover).scaled(to: geometry.canvas, .soft))
    let chain = letterbox.backdrop(gray: picture.format.layout == .gray)
    return try await blur(enlarged, chain, options: PlanOptions(edge: .mirror)) {
      recoveries.append($0)
    }
  }

  /// What the picture covers of its rounded rectangle, blurred and a little lower.
  private func shadow(
    _ letterbox: Letterbox, _ picture: Image, _ geometry: Letterbox.Geometry,
    _ recoveries: inout [Recovery]
  ) async throws(FrostglassError) -> Image? {
    guard letterbox.shadow > 0 else { return nil }
    let corners = CornerCoverage(geometry.foreground.size, radius: geometry.radius)
    let area = geometry.foreground
    // 1 % of the canvas lower, blurred by 2 %: light from above.
    let drop = geometry.canvas.shorterSide / 100
    var mask = Image(zeros: geometry.canvas, format: .gray8)
    for y in area.rows where y + drop < geometry.canvas.height {
      for x in area.columns {
        let (column, row) = (x - area.x, y - area.y)
        let alpha =
          picture.format.layout.hasAlpha ? picture.sample(x: column, y: row, channel: 3) : 1
        mask.setSample(
          Float(corners.at(x: column, y: row)) * alpha, x: x, y: y + drop, channel: 0)
      }
    }
    return try await blur(mask, [.gaussian(sigma: Sigma(percent: 2))]) { recoveries.append($0) }
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

  /// The pixels inside a rectangle of the picture.
  fileprivate func cropped(to rect: Rect) -> Image {
    var part = Image(zeros: rect.size, format: format, alpha: alpha, transfer: transfer)
    let count = rect.width * format.bytesPerPixel
    for y in 0..<rect.height {
      let source = (rect.y + y) * bytesPerRow + rect.x * format.bytesPerPixel
      part.bytes.replaceSubrange(
        y * count..<(y + 1) * count, with: bytes[source..<source + count])
    }
    return part
  }
}
