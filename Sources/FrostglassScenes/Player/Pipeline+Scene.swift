public import Frostglass
internal import FrostglassCore
public import FrostglassStills

extension Pipeline {
  /// Renders a scene, frame after frame.
  ///
  /// It is done on threads of its own. A cancelled task, and `SceneJob.deadline`, end it with the pass or row
  /// that it is at.
  ///
  /// - Parameter progress: told how many frames are done, and how many there are.
  /// - Throws: `FrostglassError`. Of an animation nothing is written then; numbered files that were
  ///   whole stay.
  @discardableResult
  public func render(
    _ job: SceneJob, progress: @escaping @Sendable (_ done: Int, _ of: Int) -> Void = { _, _ in }
  ) async throws(FrostglassError) -> SceneReport {
    try await apart(until: job.deadline) { cancellation throws(FrostglassError) in
      try await played(job, cancellation, progress)
    }
  }

  private func played(
    _ job: SceneJob, _ cancellation: Cancellation, _ progress: (_ done: Int, _ of: Int) -> Void
  ) async throws(FrostglassError) -> SceneReport {
    try job.check()
    let times = job.times
    let sink = try openSink(of: job, frames: times.count)
    cancellation.onCancel { [weak sink] in sink?.stop() }
    if let trace = job.trace { try mapped(FrostglassError.encode, trace.preflight()) }
    var player = try await ScenePlayer(
      job.file, on: selector, frames: times.count, decoding: job.decoding, videos: job.videos)
    let video = job.isVideo ? SceneVideo(job.file.size, on: selector.cpu) : nil
    var report = SceneReport(
      frames: times.count, size: job.file.size, backend: "",
      reason: player.reason, computedPixels: 0, rendering: 0, copying: 0,
      recoveries: [])
    var table = SceneTrace()
    let clock = ContinuousClock()
    for (index, time) in times.enumerated() {
      try cancellation.checkJob()
      let start = clock.now
      let frame = try await player.frame(at: time)
      report.rendering += (clock.now - start) / .seconds(1)
      report.computedPixels += frame.damage.area
      if job.trace != nil { table.add(frame) }
      if let sink { try await sink.write(video?.frame(frame.image) ?? frame.image) }
      if sink == nil, index + 1 == times.count { report.copying = frame.image.copyingTime }
      progress(index + 1, times.count)
    }
    try await sink?.finish()
    try job.trace?.save(table.text)
    report.hasHardEdges = sink?.hasHardEdges ?? false
    (report.backend, report.recoveries) = (player.backendName, player.recoveries)
    return report
  }

  /// Throws the errors that rendering would throw before it begins; writes nothing.
  ///
  /// - Returns: the number of frames to render.
  package func check(_ job: SceneJob) throws(FrostglassError) -> Int {
    try job.check()
    let frames = job.times.count
    _ = try openSink(of: job, frames: frames)
    if let trace = job.trace { try mapped(FrostglassError.encode, trace.preflight()) }
    return frames
  }

  /// Returns the plan of a scene at a time.
  public func plan(_ file: SceneFile, at time: Double) async throws(FrostglassError) -> Plan {
    try await plan(SceneJob(file: file, moments: .time(time), sink: nil), at: time)
  }

  /// Returns the plan of a job's scene at a time.
  package func plan(_ job: SceneJob, at time: Double) async throws(FrostglassError) -> Plan {
    try await apart(until: job.deadline) { _ throws(FrostglassError) in
      try job.check()
      var player = try await ScenePlayer(
        job.file, on: selector, frames: 1, decoding: job.decoding, videos: job.videos)
      try await player.advance(to: time)
      return try player.plan()
    }
  }

  /// Checks what can be checked before anything is rendered.
  private func openSink(
    of job: SceneJob, frames: Int
  ) throws(FrostglassError) -> FrameSink? {
    let document = job.file.document
    guard let output = job.sink else { return nil }
    var rate = 30.0
    if case .all(let given) = job.moments { rate = given }
    if job.isVideo {
      guard document.canvas.background.alpha >= 1 else { throw .scene(.transparentVideo) }
      return try FrameSink(
        video: output, document.canvas.pixels, frames: frames, framesPerSecond: rate)
    }
    let sink: FrameSink
    do {
      sink = try FrameSink(
        output, frames: frames, framesPerSecond: rate, format: job.format, encoding: job.encoding)
    } catch {
      if case .frames(.holdsOneFrame(let path, _, _)) = error {
        throw .scene(.noTime(output: path, duration: document.duration))
      }
      throw error
    }
    if document.canvas.background.alpha < 1,
      sink.format.pixelFormat(preserving: .rgba8) != .rgba8
    {
      throw .scene(.noTransparency(format: sink.format))
    }
    return sink
  }
}

extension Image {
  /// Seconds that a copy takes, the median of several.
  fileprivate var copyingTime: Double {
    let clock = ContinuousClock()
    var copy = bytes
    let times = (0..<21).map { _ in
      clock.measure {
        bytes.withUnsafeBytes { source in
          copy.withUnsafeMutableBytes { $0.copyMemory(from: source) }
        }
      } / .seconds(1)
    }
    return times.sorted()[times.count / 2]
  }
}

/// Images of a scene that are to be made.
public struct SceneJob: Sendable {
  /// The moments to render.
  public enum Moments: Sendable, Hashable {
    /// One, in seconds.
    case time(Double)
    /// All of the scene, so many per second.
    case all(framesPerSecond: Double)
  }

  /// The scene to play.
  public var file: SceneFile
  /// The moments to render.
  public var moments: Moments
  /// The destination of images; `nil` renders without writing.
  public var sink: StillSink?
  /// The format; `nil` takes it from the name, and PNG for standard output.
  public var format: StillFormat?
  /// True if frames become a video: y4m, see docs/use/scenes.md.
  public var isVideo: Bool
  /// The encoding of written images.
  public var encoding: EncodeOptions
  /// The decoding of the scene's images.
  public var decoding: DecodeOptions
  /// The destination of the trace, as CSV.
  public var trace: StillSink?
  /// The deadline of the job; `nil` for none.
  public var deadline: ContinuousClock.Instant?
  /// Opens videos of the scene that are not y4m.
  package var videos: (any VideoFiles)?

  /// Creates a job.
  ///
  /// - Parameter isVideo: `nil` takes it from the sink's name, which ends with `.y4m`.
  public init(
    file: SceneFile, moments: Moments, sink: StillSink?, format: StillFormat? = nil,
    isVideo: Bool? = nil,
    encoding: EncodeOptions = EncodeOptions(), decoding: DecodeOptions = DecodeOptions(),
    trace: StillSink? = nil, deadline: ContinuousClock.Instant? = nil
  ) {
    self.file = file
    self.moments = moments
    self.sink = sink
    self.format = format
    let isNamedSo: Bool =
      if case .file(let path, _)? = sink { path.lowercased().hasSuffix(".y4m") } else { false }
    self.isVideo = isVideo ?? (format == nil && isNamedSo)
    self.encoding = encoding
    self.decoding = decoding
    self.trace = trace
    self.deadline = deadline
  }

  /// Checks the times that are asked for.
  func check() throws(FrostglassError) {
    switch moments {
    case .time(let time):
      guard (0...file.duration).contains(time) else {
        throw .scene(.timeOutside(time, duration: file.duration))
      }
    case .all(let rate):
      guard rate > 0, rate <= 1000 else { throw .scene(.badRate(rate)) }
    }
  }

  /// In seconds, from the first to the last.
  var times: [Double] {
    switch moments {
    case .time(let time): return [time]
    case .all(let rate):
      let frames = max(1, Int((file.duration * rate).rounded()))
      return (0..<frames).map { Double($0) / rate }
    }
  }
}

/// The result of rendering a scene.
public struct SceneReport: Sendable {
  /// The number of rendered frames.
  public var frames: Int
  /// Pixels of a frame.
  public var size: Size
  /// The backend that rendered, and why that one.
  public var backend: String
  /// Why that backend, in words.
  public var reason: String
  /// Pixels that were computed, of all frames.
  public var computedPixels: Int
  /// Seconds of rendering, without loading and writing.
  public var rendering: Double
  /// Seconds that a copy of one frame takes in memory, the median of several; 0 where frames are
  /// written.
  public var copying: Double
  /// The failures that were recovered from; usually empty.
  public var recoveries: [Recovery]
  /// True if partly transparent pixels became opaque or fully transparent, as in a GIF.
  public var hasHardEdges = false
}

/// A table of a scene's frames as CSV: a line for each, with the pixels that were computed last.
struct SceneTrace {
  private(set) var text = ""

  mutating func add(_ frame: SceneFrame) {
    if text.isEmpty {
      text = SceneTrace.line(["time"] + frame.trace.map(\.column) + ["recomputed"])
    }
    text += SceneTrace.line(
      [SceneTrace.time(frame.time)] + frame.trace.map(\.value) + ["\(frame.damage.area)"])
  }

  /// Seconds, to a tenth of a millisecond.
  private static func time(_ seconds: Double) -> String {
    "\((seconds * 10_000).rounded() / 10_000)"
  }

  private static func line(_ cells: [String]) -> String {
    cells.map(quoted).joined(separator: ",") + "\n"
  }

  /// A cell, in quotes where a comma, a quote or a line end is in it.
  private static func quoted(_ cell: String) -> String {
    cell.contains { ",\"\r\n".contains($0) } ? cell.csvQuoted : cell
  }
}
