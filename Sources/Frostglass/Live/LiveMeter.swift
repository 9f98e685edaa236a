/// A meter of live work: frames, their latency from arrival to output, and frames that were dropped.
///
/// It takes times as arguments and reads no clock. Its size does not grow over time.
package struct LiveMeter: Sendable {
  /// The counts and latencies of a period.
  package struct Account: Sendable, Hashable {
    /// Frames that went out.
    package fileprivate(set) var frames = 0
    /// Frames that a newer one overtook.
    package fileprivate(set) var dropped = 0
    /// From the first frame's arrival, or from the end of the time before.
    package fileprivate(set) var span = Duration.zero
    fileprivate var latencies = Latencies()

    /// The latency that half of the frames did not exceed; `nil` without frames.
    package var median: Duration? { latencies.within(0.5) }
    /// The latency that 99 of 100 frames did not exceed; `nil` without frames.
    package var p99: Duration? { latencies.within(0.99) }
    /// The longest latency; `nil` without frames.
    package var longest: Duration? { frames > 0 ? latencies.longest : nil }
  }

  /// The account of the whole run.
  package private(set) var total = Account()
  private var second = Account()
  private var start: Duration?
  private var lastReport = Duration.zero

  package init() {}

  /// A frame came.
  ///
  /// - Parameter now: since whenever the clock counts.
  package mutating func arrived(at now: Duration) {
    if start == nil { (start, lastReport) = (now, now) }
  }

  /// A frame was overtaken.
  ///
  /// - Returns: the account of the frames since the last report, if that was at least a second ago.
  package mutating func dropped(at now: Duration) -> Account? {
    total.dropped += 1
    second.dropped += 1
    return report(at: now)
  }

  /// A frame went out.
  ///
  /// - Parameters:
  ///   - arrival: the time at which it arrived.
  ///   - now: since the same moment.
  /// - Returns: as `dropped(at:)` does.
  package mutating func sent(_ arrival: Duration, at now: Duration) -> Account? {
    let latency = max(now - arrival, .zero)
    total.frames += 1
    total.latencies.add(latency)
    second.frames += 1
    second.latencies.add(latency)
    return report(at: now)
  }

  private mutating func report(at now: Duration) -> Account? {
    total.span = now - (start ?? now)
    guard now - lastReport >= .seconds(1) else { return nil }
    second.span = now - lastReport
    lastReport = now
    defer { second = Account() }
    return second
  }
}

/// A histogram of latencies, in steps of one sixty-fourth.
private struct Latencies: Sendable, Hashable {
  private var counts = [Int](repeating: 0, count: 64 * octaves)
  private var all = 0
  private(set) var longest = Duration.zero

  /// From a microsecond to more than an hour.
  private static let octaves = 32

  mutating func add(_ latency: Duration) {
    longest = max(longest, latency)
    all += 1
    counts[Self.bin(latency)] += 1
  }

  /// The latency that a part of all did not exceed: exact to a sixty-fourth, and never too small.
  func within(_ part: Double) -> Duration? {
    guard all > 0 else { return nil }
    let wanted = Int((part * Double(all)).rounded(.up))
    var sum = 0
    for (bin, count) in counts.enumerated() {
      sum += count
      if sum >= wanted { return min(Self.upper(bin), longest) }
    }
    return longest
  }

  /// Microseconds below 64 have a bin each; from then on each power of two has 64.
  private static func bin(_ latency: Duration) -> Int {
    let microseconds = Int(min(latency / .microseconds(1), 1e15))
    guard microseconds >= 64 else { return microseconds }
    let octave = Int.bitWidth - microseconds.leadingZeroBitCount - 7
    return min(64 * octave + (microseconds >> octave), 64 * octaves - 1)
  }

  private static func upper(_ bin: Int) -> Duration {
    let octave = max(bin / 64 - 1, 0)
    return .microseconds((bin - 64 * octave + 1) << octave)
  }
}
