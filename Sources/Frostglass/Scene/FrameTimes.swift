/// How long frames are shown.
package enum FrameTimes {
  /// Frames per second that are shown as fast as they should.
  ///
  /// Browsers show a frame of 10 ms or less for 100 ms. A GIF counts in hundredths of a second, so its
  /// shortest frame is 20 ms long; in a WebP, at 90 frames per second, none is below 11 ms.
  package static func rates(of format: StillFormat) -> ClosedRange<Double> {
    format == .gif ? 0.01...50 : 0.01...90
  }

  /// Milliseconds for each frame, whole hundredths of a second for a GIF.
  ///
  /// Each frame ends at the step that is nearest to its true end, so the whole is as long as it should
  /// be to half a step.
  package static func delays(frames: Int, rate: Double, format: StillFormat) -> [Int] {
    let step = format == .gif ? 10 : 1
    let perFrame = 1000 / rate / Double(step)
    let ends = (0...frames).map { Int((Double($0) * perFrame).rounded()) }
    return zip(ends, ends.dropFirst()).map { ($1 - $0) * step }
  }
}
