internal import CAV
internal import Frostglass

/// A frame of a film, decoded, with its place in time.
///
/// One thread at a time has it: the one that decodes, then the one that renders it.
final class FilmFrame: @unchecked Sendable {
  /// The index of its video among those that are rendered.
  let video: Int
  /// Its number among the frames of its video that are shown, from 0.
  let index: Int
  /// The presentation time, in the stream's time base.
  let time: Int64
  /// The duration, in the stream's time base; 0 if unknown.
  var duration: Int64 = 0
  /// The presentation time of the previous frame; `nil` if there is none.
  var previous: Int64?
  /// True if no frame of its video comes after it.
  var isLast = false
  /// Its stream's time base.
  let base: AVRational
  /// libav's frame.
  let frame: UnsafeMutablePointer<AVFrame>

  init(
    _ video: Int, _ index: Int, _ time: Int64, _ base: AVRational,
    _ frame: UnsafeMutablePointer<AVFrame>
  ) {
    (self.video, self.index, self.frame) = (video, index, frame)
    (self.time, self.base) = (time, base)
  }

  /// The frame's place in the new video; times are in seconds.
  var moment: FrameMoment {
    let second = av_q2d(base)
    return FrameMoment(
      index: index, seconds: Double(time) * second,
      duration: duration > 0 ? Double(duration) * second : nil,
      previous: previous.map { Double($0) * second }, isLast: isLast)
  }

  deinit {
    var frame: UnsafeMutablePointer<AVFrame>? = frame
    av_frame_free(&frame)
  }
}
