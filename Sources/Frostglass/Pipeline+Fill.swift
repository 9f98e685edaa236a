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

/// An image on a canvas of another shape, before its own enlarged and blurred copy.
public struct Letterbox: Sendable, Hashable {
  /// The canvas.
  public enum Canvas: Sendable, Hashable {
    /// So many pixels; the image is scaled to fit.
    case size(Size)
    /// Width to height; the canvas is the smallest that holds the image, which is not scaled.
    case aspect(width: Double, height: Double)
  }

  /// The position of the image along the axis that has room.
  public enum Alignment: String, Sendable, Hashable, CaseIterable {
    /// In the middle.
    case center, top, bottom, left, right
  }

  /// The canvas's size or shape.
  public var canvas: Canvas
  /// Blur of the copy; percentages refer to the canvas.
  public var sigma: Sigma
  /// The darkening of the copy, from 0 (none) to 1 (black).
  public var dim: Double
  /// The saturation of the copy: 0 is gray, 1 unchanged.
  public var saturation: Double
  /// The radius of the image's corners, at most half its shorter side. Percentages refer to the canvas.
  public var radius: Length
  /// The opacity of the image's shadow, from 0 (none) to 1 (black).
  public var shadow: Double
  /// Room kept free around the image. Percentages refer to the canvas.
  public var margin: Length
  /// The position of the sharp image.
  public var alignment: Alignment

  /// - Parameters:
  ///   - sigma: 0…1000 px.
  ///   - dim: 0…1.
  ///   - saturation: 0…10.
  ///   - radius: 0 px or more.
  ///   - shadow: 0…1.
  ///   - margin: 0 px or more, and less than half of the canvas.
  public init(
    _ canvas: Canvas, sigma: Sigma = Sigma(percent: 4), dim: Double = 0.2, saturation: Double = 1,
    radius: Length = 0, shadow: Double = 0, margin: Length = 0, alignment: Alignment = .center
  ) {
    self.canvas = canvas
    self.sigma = sigma
    self.dim = dim
    self.saturation = saturation
    self.radius = radius
    self.shadow = shadow
    self.margin = margin
    self.alignment = alignment
  }

  /// The canvas as plans.
  ///
  /// - Parameter picture: pixels of the image, which `geometry` may show at another size.
  func design(_ geometry: Geometry, picture: Size) -> CanvasDesign {
    CanvasDesign(
      picture: picture, canvas: geometry.canvas, place: geometry.foreground, cover: geometry.cover,
      radius: geometry.radius, sigma: sigma, dim: dim, saturation: saturation, shadow: shadow)
  }

  /// Refuses what is no number of its range.
  func check() throws(PlanError) {
    for (name, value, range) in [
      ("dim", dim, 0.0...1.0), ("saturation", saturation, 0...10), ("shadow", shadow, 0...1),
    ] {
      guard range.contains(value) else {
        throw .badValue(
          filter: "fill", parameter: name, value: "\(value)",
          accepted: "a number from \(range.lowerBound) to \(range.upperBound)")
      }
    }
  }
}

extension Letterbox {
  /// The layout of the canvas, in whole pixels.
  package struct Geometry: Sendable, Hashable {
    /// The whole canvas.
    package let canvas: Size
    /// The sharp image.
    package let foreground: Rect
    /// The part of the sharp image, in its own pixels, that covers the canvas when it is enlarged.
    package let cover: Rect
    /// The radius of the corners, in pixels.
    package let radius: Double

    /// - Parameter picture: its upright size.
    /// - Throws: `PlanError.badValue` for a margin or radius that cannot be, `PlanError.tooLarge` for
    ///   a canvas of more than `mostPixels`.
    package init(
      _ letterbox: Letterbox, picture: Size, mostPixels: Int = .max
    ) throws(PlanError) {
      canvas = try Self.canvas(letterbox, picture, mostPixels)
      let margin = try letterbox.margin.pixels(
        for: canvas, scale: 1, in: 0...Double((canvas.shorterSide - 1) / 2), filter: "fill",
        parameter: "margin")
      let border = Int(margin.rounded())
      let box = Size(width: canvas.width - 2 * border, height: canvas.height - 2 * border)
      let size = picture.fitted(in: box)
      let room = (x: canvas.width - size.width, y: canvas.height - size.height)
      let x =
        switch letterbox.alignment {
        case .left: border
        case .right: room.x - border
        default: room.x / 2
        }
      let y =
        switch letterbox.alignment {
        case .top: border
        case .bottom: room.y - border
        default: room.y / 2
        }
      foreground = Rect(x: x, y: y, width: size.width, height: size.height)
      let part = canvas.fitted(in: size)
      cover = Rect(
        x: (size.width - part.width) / 2, y: (size.height - part.height) / 2, width: part.width,
        height: part.height)
      radius = min(
        try letterbox.radius.pixels(
          for: canvas, scale: 1, in: 0...1e6, filter: "fill", parameter: "radius"),
        Double(size.shorterSide) / 2)
    }

    private static func canvas(
      _ letterbox: Letterbox, _ picture: Size, _ mostPixels: Int
    ) throws(PlanError) -> Size {
      let canvas: Size
      switch letterbox.canvas {
      case .size(let size): canvas = size
      case .aspect(let width, let height):
        let aspect = width / height
        guard aspect.isFinite, (0.001...1000).contains(aspect) else {
          throw .badValue(
            filter: "fill", parameter: "aspect", value: "\(width):\(height)",
            accepted: "from 1:1000 to 1000:1")
        }
        let isWider = Double(picture.width) >= aspect * Double(picture.height)
        canvas = Size(
          width: isWider ? picture.width : Int((aspect * Double(picture.height)).rounded()),
          height: isWider ? Int((Double(picture.width) / aspect).rounded()) : picture.height)
      }
      guard canvas.width >= 1, canvas.height >= 1 else {
        throw .badValue(
          filter: "fill", parameter: "size", value: "\(canvas)", accepted: "1×1 or more")
      }
      guard canvas.width <= mostPixels / canvas.height else {
        throw .tooLarge(canvas, limit: "\(mostPixels) pixels")
      }
      return canvas
    }
  }
}

extension Size {
  /// The largest size of this shape inside another; no side below 1.
  func fitted(in box: Size) -> Size {
    let isWider = width * box.height >= box.width * height
    let scale =
      isWider
      ? Double(box.width) / Double(width) : Double(box.height) / Double(height)
    func scaled(_ length: Int) -> Int { max(1, Int((Double(length) * scale).rounded())) }
    return Size(
      width: isWider ? box.width : min(scaled(width), box.width),
      height: isWider ? min(scaled(height), box.height) : box.height)
  }
}
