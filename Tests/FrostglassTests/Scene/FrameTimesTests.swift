import Frostglass
import Testing

/// Durations of frames.
@Suite struct FrameTimesTests {
  @Test func roundingIsSpread() {
    // Ends at 3.33, 6.67, 10 hundredths of a second, so at 3, 7 and 10.
    #expect(FrameTimes.delays(frames: 6, rate: 30, format: .gif) == [30, 40, 30, 30, 40, 30])
    // At 16.67, 33.33 and 50 ms.
    #expect(FrameTimes.delays(frames: 6, rate: 60, format: .webp) == [17, 16, 17, 17, 16, 17])
    #expect(FrameTimes.delays(frames: 2, rate: 25, format: .gif) == [40, 40])
  }

  @Test(arguments: [StillFormat.gif, .webp], [0.5, 7, 12.5, 23.976, 24, 29.97, 30, 48, 50])
  func theWholeIsAsLongAsItShouldBe(format: StillFormat, rate: Double) {
    let step: Double = format == .gif ? 10 : 1
    for frames in [1, 2, 3, 10, 599, 600] {
      let delays = FrameTimes.delays(frames: frames, rate: rate, format: format)
      #expect(delays.count == frames)
      let whole = Double(delays.reduce(0, +))
      #expect(abs(whole - Double(frames) * 1000 / rate) <= step / 2 + 1e-6)
      for delay in delays { #expect(abs(Double(delay) - 1000 / rate) < step) }
    }
  }

  /// Browsers show 10 ms and less for 100 ms.
  @Test(arguments: [StillFormat.gif, .webp]) func noFrameIsTooShort(format: StillFormat) {
    let most = FrameTimes.rates(of: format).upperBound
    #expect((FrameTimes.delays(frames: 1000, rate: most, format: format).min() ?? 0) > 10)
  }
}
