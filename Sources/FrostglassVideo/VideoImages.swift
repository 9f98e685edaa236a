internal import CAV
internal import Frostglass
internal import FrostglassCore
internal import FrostglassStills

/// Images of a video: one of a moment, or a moving one, GIF, WebP or APNG.
///
/// Frames are upright with square pixels, in red, green and blue, 8 bits each. Those of an image that moves are
/// shown as long as in the video.
final class VideoImages: Sendable {
  private let job: VideoJob
  private let pipeline: Pipeline
  private let format: StillFormat
  private let note: @Sendable (String) -> Void
  private let callers = ThreadPool()

  /// - Parameter format: the format of the images, by the output's name.
  init(
    _ job: VideoJob, _ pipeline: Pipeline, _ format: StillFormat,
    note: @escaping @Sendable (String) -> Void
  ) {
    (self.job, self.pipeline, self.format, self.note) = (job, pipeline, format, note)
  }

  /// Writes the image.
  func run(
    _ progress: @escaping @Sendable (VideoProgress) -> Void
  ) async throws(VideoFileError) -> VideoReport {
    guard job.moment != nil || format.canAnimate else {
      throw .usage(
        "\(job.output): \(format.name) is one image; --time T or --frames N says which, or give a name that "
          + "ends with .gif, .webp or .apng")
    }
    // What is wrong with the name is said before anything is decoded.
    let sink = try sink(StillMetadata.Animation(delays: [0]))
    if let moment = job.moment { return try await paint(at: moment, to: sink, progress) }
    let (job, format) = (job, format)
    let times = try await callers.run { () throws(VideoFileError) in
      try ImageTimes(of: job, for: format, progress)
    }
    return try await paint(times, progress)
  }

  /// Makes an image of the frame that is shown at a moment.
  private func paint(
    at moment: Double, to sink: FrameSink, _ progress: @Sendable (VideoProgress) -> Void
  ) async throws(VideoFileError) -> VideoReport {
    let job = job
    let (input, stream, found) = try await callers.run {
      () throws(VideoFileError) -> (VideoInput, Int, VideoFrame?) in
      let (input, stream) = try Self.open(job)
      input.seek(to: moment)
      let second = av_q2d(input.stream(stream).pointee.time_base)
      while let frame = try input.next(copy: { _ in }) {
        let start = Double(frame.time) * second
        let end = start + Double(frame.duration) * second
        if moment < end || end <= start { return (input, stream, frame) }
      }
      return (input, stream, nil)
    }
    guard let frame = found else { try Self.refuse(input, job) }
    let painter = try await Painter(frame, input.stream(stream), job, pipeline, for: format, note)
    let image = try await shown(try await painter.image(of: frame, callers), painter.shownSize)
    try accept(0, input, painter)
    try await write(image, to: sink)
    progress(VideoProgress(frames: 1, total: 1, bytes: nil))
    try await finish(sink)
    return report(1, input, painter)
  }

  /// Makes images of frames that are shown one after another.
  private func paint(
    _ times: ImageTimes, _ progress: @Sendable (VideoProgress) -> Void
  ) async throws(VideoFileError) -> VideoReport {
    let job = job
    let (input, stream, plays) = try await callers.run {
      () throws(VideoFileError) -> (VideoInput, Int, Int) in
      let (input, stream) = try Self.open(job)
      return (input, stream, input.plays)
    }
    let pictures = times.pictures
    let sink = try sink(StillMetadata.Animation(delays: pictures.map(\.delay), loop: plays))
    var painter: Painter?
    var (written, last) = (0, Image?.none)
    while written < pictures.count {
      let next = try await callers.run { () throws(VideoFileError) in try input.next { _ in } }
      guard let frame = next else { break }
      // Several of one frame; of a damaged video also those of frames that are not decoded twice.
      let due = pictures[written...].prefix { $0.start <= frame.time }
      guard !due.isEmpty else { continue }
      if painter == nil {
        painter = try await Painter(frame, input.stream(stream), job, pipeline, for: format, note)
      }
      guard let painter else { break }
      let image = try await shown(try await painter.image(of: frame, callers), painter.shownSize)
      for _ in due {
        // With the last one the file gets its name.
        if written + 1 == pictures.count { try accept(written, input, painter) }
        try await write(image, to: sink)
        written += 1
      }
      last = image
      progress(
        VideoProgress(frames: written, total: pictures.count, bytes: nil, pass: 2, of: 2))
    }
    guard let painter, let last else { try Self.refuse(input, job) }
    while written < pictures.count {
      if written + 1 == pictures.count { try accept(written, input, painter) }
      try await write(last, to: sink)
      written += 1
    }
    try await finish(sink)
    tell(of: times, input)
    return report(written, input, painter)
  }

  /// Says which frames have no image.
  private func tell(of times: ImageTimes, _ input: VideoInput) {
    if times.leftOut > 0 {
      let words = times.leftOut == 1 ? "1 frame is" : "\(times.leftOut) frames are"
      note(
        "\(words) left out, as browsers slow down what is shown for less than "
          + "\(times.shortest) ms")
    }
    for words in input.remarks { note(words) }
  }

  /// Says why there is no frame to make an image of.
  static func refuse(_ input: VideoInput, _ job: VideoJob) throws(VideoFileError) -> Never {
    if let moment = job.moment, input.damaged == 0 {
      throw .usage("--time is \(moment) s, and \(job.input) is not as long")
    }
    if input.damaged == 0 { try VideoFileRun.checkLength(job) }
    if let header = try? StillDecoder().header(of: .file(job.input)), header.frames > 1 {
      throw .unsupported(
        path: job.input,
        "libavcodec decodes no \(header.format.name) that moves; `frostglass blur` takes all its "
          + "frames")
    }
    throw .badFile(path: job.input, "no frame of its video can be decoded")
  }

  private func report(_ written: Int, _ input: VideoInput, _ painter: Painter) -> VideoReport {
    VideoReport(
      frames: written, damaged: input.damaged, bytes: nil, encoders: [format.name],
      backend: painter.backend, recoveries: [])
  }

  private func accept(
    _ written: Int, _ input: VideoInput, _ painter: Painter
  ) throws(VideoFileError) { try job.accepting?(report(written, input, painter)) }

  /// Opens a video, of whose video that players show first frames are to come.
  ///
  /// - Returns: it, and the number of that video.
  static func open(_ job: VideoJob) throws(VideoFileError) -> (VideoInput, Int) {
    let input = try VideoInput(
      job.input, in: job.version, span: job.span, hidesBeginning: false)
    guard let stream = VideoSelection.mainVideo(of: input) else {
      throw .badFile(path: job.input, "there is no video in it")
    }
    try VideoFileRun.check(input.stream(stream), job)
    try input.begin(rendering: [stream], copying: [])
    return (input, stream)
  }

  /// A frame's image with square pixels.
  private func shown(_ image: Image, _ size: Size) async throws(VideoFileError) -> Image {
    guard image.size != size else { return image }
    return try await callers.run { () throws(VideoFileError) in
      try mapped(
        { (error: DecodeError) in VideoFileError.renderer(.decode(error)) },
        image.scaled(to: size, .sharp))
    }
  }

  private func write(_ image: Image, to sink: FrameSink) async throws(VideoFileError) {
    try await mapped(Self.error, async: await sink.write(image))
  }

  private func finish(_ sink: FrameSink) async throws(VideoFileError) {
    try await mapped(Self.error, async: await sink.finish())
  }

  private static func error(_ error: FrostglassError) -> VideoFileError {
    if case .encode(let error) = error { return .unwritable(error) }
    return .renderer(error)
  }

  /// Opens what images go to.
  ///
  /// - Parameter animation: says how many there are, and how long each is shown.
  private func sink(_ animation: StillMetadata.Animation) throws(VideoFileError) -> FrameSink {
    do {
      return try FrameSink(
        .file(job.output, overwrite: job.overwrite), showing: animation, format: format)
    } catch { throw Self.error(error) }
  }
}
