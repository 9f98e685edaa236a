internal import CAV
package import Frostglass
package import FrostglassCore
package import FrostglassStills
internal import Glibc

/// Films by way of libavformat and libavcodec.
package struct AVFilms: FilmFiles {
  package init() {
    // Errors have our own messages.
    FilmLog.listen()
    // x264 decides by memory that it has not written: the same film is to give the same bytes.
    ClearedMemory.fill(with: 0)
  }

  package var libraries: String {
    func version(_ number: UInt32) -> String {
      "\(number >> 16).\(number >> 8 & 0xFF).\(number & 0xFF)"
    }
    return "libavformat \(version(avformat_version())), libavcodec \(version(avcodec_version()))"
  }

  package func run(
    _ job: FilmJob, on pipeline: Pipeline, progress: @escaping @Sendable (FilmProgress) -> Void,
    note: @escaping @Sendable (String) -> Void
  ) async throws(FilmError) -> FilmReport {
    let job = try await ThreadPool().run { () throws(FilmError) in try job.byTimes() }
    if let format = try? StillFormat.toWrite(path: job.output) {
      guard job.masks == nil, job.letterbox == nil, !job.isStrict else {
        throw .usage(
          "\(job.output): images are made of whole videos and by filters alone; give a name such as film.mp4, "
            + "and make the image of that")
      }
      guard job.encoding == FilmEncoding() else {
        throw .usage(
          "--codec, --crf and --speed are for the encoders of videos, and \(job.output) is an image; leave them "
            + "out")
      }
      return try await FilmPictures(job, pipeline, format, note: note).run(progress)
    }
    return try await FilmRun(job, pipeline, progress: progress, note: note).run()
  }

  package func show(
    _ path: String, maxPixels: Int, on pipeline: Pipeline
  ) async throws(FilmError) -> any FilmShow {
    try await FilmScreen(path, maxPixels: maxPixels, on: pipeline)
  }

  package func view(
    _ path: String, in version: FileVersion?, maxPixels: Int, on pipeline: Pipeline,
    wants: (Int) -> Bool,
    progress: (FilmProgress) -> Void, note: (String) -> Void,
    take: (Int, Image) async throws(FilmError) -> Void
  ) async throws(FilmError) {
    try await FilmView(path, in: version, maxPixels: maxPixels, on: pipeline)
      .run(wants: wants, progress: progress, note: note, take: take)
  }
}

extension FilmJob {
  /// The same job with times in place of numbers of frames.
  ///
  /// A file says when frames are shown and not how many were before, so those of the video that players show first
  /// are decoded and counted, up to the last one that is asked for.
  ///
  /// - Throws: `FilmError.usage` for a film that has fewer, or what reading it throws.
  fileprivate func byTimes() throws(FilmError) -> FilmJob {
    guard let frames else { return self }
    var job = self
    (job.frames, job.span, job.moment) = (nil, FilmSpan(), nil)
    let (input, stream) = try FilmPictures.open(job)
    let second = av_q2d(input.stream(stream).pointee.time_base)
    var count = 0
    while let frame = try input.next(copy: { _ in }) {
      defer { count += 1 }
      let time = Double(frame.time) * second
      if count == frames.start {
        job.span.start = time
        if frames.isOne {
          // Its middle, which is no other's.
          (job.span, job.moment) = (FilmSpan(), time + Double(frame.duration) * second / 2)
          return job
        }
        if frames.end == nil { return job }
      }
      if count == frames.end {
        job.span.end = time
        return job
      }
    }
    guard count > frames.start else {
      if count == 0 { throw .badFile(path: job.input, "no frame of its video can be decoded") }
      throw .usage(
        "--frames is \(frames.text), and \(job.input) has \(count) frame\(count == 1 ? "" : "s"), which count from 0"
      )
    }
    return job
  }
}
