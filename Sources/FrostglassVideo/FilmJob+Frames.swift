internal import CAV
internal import Frostglass
internal import FrostglassCore

extension FilmJob {
  /// The same job with times in place of numbers of frames.
  ///
  /// A file says when frames are shown and not how many were before, so those of the video that players show first
  /// are decoded and counted, up to the last one that is asked for.
  ///
  /// - Throws: `FilmError.usage` for a film that has fewer, or what reading it throws.
  func byTimes() throws(FilmError) -> FilmJob {
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
