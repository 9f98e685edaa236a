import Frostglass
import Testing

/// The progress of live work, with made-up times.
@Suite struct LiveMeterTests {
  private func milliseconds(_ count: Int) -> Duration { .milliseconds(count) }

  @Test func aSecondIsReportedOnceItIsOver() throws {
    var meter = LiveMeter()
    meter.arrived(at: milliseconds(5000))
    for frame in 0..<10 {
      let arrival = milliseconds(5000 + 90 * frame)
      let told = meter.sent(arrival, at: arrival + milliseconds(8))
      #expect(told == nil)
    }
    let early = meter.dropped(at: milliseconds(5999))
    #expect(early == nil)
    let said = meter.sent(milliseconds(5996), at: milliseconds(6000))
    let second = try #require(said)
    #expect(second.frames == 11 && second.dropped == 1 && second.span == .seconds(1))
    #expect(second.longest == milliseconds(8))
    // The next second begins without what was reported.
    let again = meter.dropped(at: milliseconds(6500))
    #expect(again == nil)
    let nextSaid = meter.dropped(at: milliseconds(7250))
    let next = try #require(nextSaid)
    #expect(next.frames == 0 && next.dropped == 2 && next.span == milliseconds(1250))
    #expect(next.median == nil && next.p99 == nil && next.longest == nil)
    #expect(meter.total.frames == 11 && meter.total.dropped == 3)
    #expect(meter.total.span == milliseconds(2250))
  }

  /// Never too small, and too large by a sixty-fourth at most.
  @Test(arguments: [1, 7, 63, 64, 65, 127, 128, 1000, 16_667, 33_333, 999_999, 3_600_000_000])
  func latenciesAreExactToASixtyFourth(_ microseconds: Int) throws {
    var meter = LiveMeter()
    meter.arrived(at: .zero)
    for _ in 0..<200 { _ = meter.sent(.zero, at: .microseconds(microseconds)) }
    // One that is far longer, so that the longest is no bound.
    _ = meter.sent(.zero, at: .microseconds(microseconds * 3))
    let median = try #require(meter.total.median)
    #expect(median >= .microseconds(microseconds))
    #expect(median <= .microseconds(microseconds + microseconds / 64 + 1))
  }

  @Test func oneInAHundredIsBeyondTheP99() throws {
    var meter = LiveMeter()
    meter.arrived(at: .zero)
    for frame in 0..<1000 {
      _ = meter.sent(.zero, at: milliseconds(frame < 990 ? 10 : 50))
    }
    #expect(try #require(meter.total.p99) < milliseconds(11))
    _ = meter.sent(.zero, at: milliseconds(50))
    #expect(meter.total.p99 == milliseconds(50) && meter.total.longest == milliseconds(50))
  }
}
