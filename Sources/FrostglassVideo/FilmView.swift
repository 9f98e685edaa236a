internal import Frostglass
internal import FrostglassCore
internal import FrostglassStills

/// A film's frames as upright images, one after another, numbered as they are when it is rendered.
struct FilmView {
  private let job: FilmJob
  private let pipeline: Pipeline
  private let callers = ThreadPool()

  init(_ path: String, in version: FileVersion?, maxPixels: Int, on pipeline: Pipeline) {
    var job = FilmJob(path, to: path, Recipe([]), maxPixels: maxPixels)
    job.version = version
    self.job = job
    self.pipeline = pipeline
  }

  /// Goes to the end of the film.
  ///
  /// - Parameters:
  ///   - wants: returns true for frames whose images are needed.
  ///   - take: gets them, each before the next frame is read.
  /// - Throws: `FilmError`, also for a video whose frames cannot be identified.
  func run(
    wants: (Int) -> Bool, progress: (FilmProgress) -> Void, note: (String) -> Void,
    take: (Int, Image) async throws(FilmError) -> Void
  ) async throws(FilmError) {
    let (input, stream) = try await callers.run { [job] () throws(FilmError) in
      guard FilmEnd.isFile(job.input) else {
        throw .usage("\(job.input) is read twice, and must be a file")
      }
      return try FilmPictures.open(job)
    }
    let total = input.frameCount(stream)
    var painter: Painter?
    var count = 0
    while let frame = try await callers.run({ () throws(FilmError) in try input.next { _ in } }) {
      if wants(frame.index) {
        if painter == nil {
          painter = try await Painter(frame, input.stream(stream), job, pipeline, note)
        }
        if let painter { try await take(frame.index, try await painter.image(of: frame, callers)) }
      }
      count += 1
      progress(FilmProgress(frames: count, total: total, bytes: nil))
    }
    guard count > 0 else { try FilmPictures.refuse(input, job) }
    try FilmRun.checkNumbers(of: input, damaged: input.damaged)
    try await callers.run { () throws(FilmError) in try input.checkEnd() }
  }
}
