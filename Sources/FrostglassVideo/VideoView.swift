internal import CAV
internal import Frostglass
internal import FrostglassCore
internal import FrostglassStills
internal import Synchronization

/// A video's frames as upright images, one after another, numbered as they are when it is rendered.
struct VideoView {
  private let job: VideoJob
  private let pipeline: Pipeline
  private let callers = ThreadPool()

  init(_ path: String, in version: FileVersion?, maxPixels: Int, on pipeline: Pipeline) {
    var job = VideoJob(path, to: path, Recipe([]), maxPixels: maxPixels)
    job.version = version
    self.job = job
    self.pipeline = pipeline
  }

  /// Goes to the end of the video.
  ///
  /// - Parameters:
  ///   - wants: returns true for frames whose images are needed.
  ///   - take: gets them, each before the next frame is read.
  /// - Throws: `VideoFileError`, also for a video whose frames cannot be identified.
  func run(
    wants: (Int) -> Bool, progress: (VideoProgress) -> Void, note: (String) -> Void,
    take: (Int, Image) async throws(VideoFileError) -> Void
  ) async throws(VideoFileError) {
    let (input, stream) = try await callers.run { [job] () throws(VideoFileError) in
      guard VideoEnd.isFile(job.input) else {
        throw .usage("\(job.input) is read twice, and must be a file")
      }
      return try VideoImages.open(job)
    }
    let total = input.frameCount(stream)
    var painter: Painter?
    var count = 0
    while let frame = try await callers.run({ () throws(VideoFileError) in try input.next { _ in } }
    ) {
      if wants(frame.index) {
        if painter == nil {
          painter = try await Painter(frame, input.stream(stream), job, pipeline, note)
        }
        if let painter { try await take(frame.index, try await painter.image(of: frame, callers)) }
      }
      count += 1
      progress(VideoProgress(frames: count, total: total, bytes: nil))
    }
    guard count > 0 else { try VideoImages.refuse(input, job) }
    try VideoFileRun.checkNumbers(of: input, damaged: input.damaged)
    try await callers.run { () throws(VideoFileError) in try input.checkEnd() }
  }
}

/// A video that is looked at as time passes, upright and in colors; of the frames that are shown, those that
/// are looked at are made to images.
final class VideoScreen: VideoShow {
  let size: Size
  private let input: VideoInput
  private let painter: Painter
  private let callers: ThreadPool
  /// The frame that is shown next; `nil` at the end.
  private let next: Mutex<VideoFrame?>
  private let isShown = Mutex(false)

  /// Opens a video and decodes its first frame.
  init(_ path: String, maxPixels: Int, on pipeline: Pipeline) async throws(VideoFileError) {
    let callers = ThreadPool()
    self.callers = callers
    let job = VideoJob(path, to: path, Recipe([]), maxPixels: maxPixels)
    let (input, stream, first) = try await callers.run { () throws(VideoFileError) in
      let (input, stream) = try VideoImages.open(job)
      return (input, stream, try input.next { _ in })
    }
    guard let first else {
      throw .badFile(path: path, "no frame of its video can be decoded")
    }
    self.input = input
    painter = try await Painter(first, input.stream(stream), job, pipeline) { _ in }
    size = painter.shownSize
    next = Mutex(first)
  }

  func picture(at time: Double) async throws(FrostglassError) -> Image? {
    let shown: VideoFrame?
    do {
      shown = try await callers.run { [self] () throws(VideoFileError) in try frame(at: time) }
      guard let shown else { return nil }
      return try await painter.image(of: shown, callers)
    } catch {
      if case .renderer(let error) = error { throw error }
      throw .video("\(error)")
    }
  }

  /// The last frame that begins until then, unless it was given before.
  private func frame(at time: Double) throws(VideoFileError) -> VideoFrame? {
    var found: VideoFrame?
    while let frame = next.withLock({ $0 }) {
      // What begins late is there from the beginning.
      let isDue = (frame.moment.seconds ?? 0) <= time + 1e-6
      guard isDue || !isShown.withLock({ $0 }) else { break }
      found = frame
      isShown.withLock { $0 = true }
      let after = try input.next { _ in }
      next.withLock { $0 = after }
    }
    return found
  }
}
