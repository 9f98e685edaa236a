internal import FrostglassCore
internal import Glibc
internal import Synchronization

/// Brings the frames of something that does not wait, such as a camera.
package protocol LiveSource: Sendable {
  /// Waits for the next frame. It is asked by one thread, again and again, as soon as there is memory.
  ///
  /// - Parameters:
  ///   - number: of the frame, from 1, for messages.
  ///   - target: as many bytes as a frame has.
  /// - Returns: the line before a y4m frame, without its end; empty where there is none; `nil` at the end.
  /// - Throws: `VideoError`.
  func next(
    _ number: Int, into target: UnsafeMutableRawBufferPointer
  ) throws(VideoError) -> [UInt8]?
}

/// Does something to each frame.
package protocol LiveFilter: Sendable {
  /// Bytes of memory for a frame.
  var frameBytes: Int { get }
  /// Bytes of memory for a result; the frame comes first.
  var resultBytes: Int { get }

  /// - Throws: `VideoError`.
  func render(
    _ frame: UnsafeRawBufferPointer, into result: UnsafeMutableRawBufferPointer,
    at moment: FrameMoment
  ) async throws(VideoError) -> [Recovery]

  /// Says that there are no more frames.
  ///
  /// - Parameter last: the last one that was rendered; `nil` where there was none.
  /// - Throws: `VideoError.tracks` where these are others than were to come.
  func finish(after last: FrameMoment?) throws(VideoError)
}

/// Takes frames.
package protocol LiveSink: Sendable {
  /// - Throws: `VideoError.unwritable`.
  func begin() throws(VideoError)
  /// - Throws: `VideoError.unwritable`.
  func send(_ line: [UInt8], _ frame: UnsafeRawBufferPointer) throws(VideoError)
}

extension FrameReader: LiveSource {}
extension FrameSender: LiveSink {}

extension VideoRenderer: LiveFilter {
  package var frameBytes: Int { layout.byteCount(of: size) }

  package func finish(after last: FrameMoment?) throws(VideoError) {
    try masks?.finish(after: last)
  }
}

/// Frames that do not wait, through a filter: whatever comes is taken at once, and where the work is
/// behind, the newest frame is next and those before it are left out.
///
/// There is memory for four frames: one that comes, one that waits, one that is rendered and one that is
/// written.
package final class LiveRun: Sendable {
  private let source: any LiveSource
  private let filter: any LiveFilter
  private let sink: any LiveSink
  private let rate: FrameRate?
  private let pace: FrameRate?
  private let clock: any LiveClock
  private let queue = BoundedQueue<Arrival, VideoError>(capacity: 1)
  /// Memory that is free.
  private let slots = BoundedQueue<FrameSlot, Never>(capacity: 4)
  private let meter = Mutex(LiveMeter())
  private let said: @Sendable (LiveMeter.Account) -> Void
  private let callers = ThreadPool()

  /// A frame that came.
  private struct Arrival: Sendable {
    let slot: FrameSlot
    let line: [UInt8]
    /// From 0, of all that came.
    let index: Int
    let time: Duration
  }

  /// The result of a live run.
  package struct Outcome: Sendable {
    /// Frames that went out and that did not, and their latencies.
    package let account: LiveMeter.Account
    /// The device failures that were recovered from, each once.
    package let recoveries: [Recovery]
    /// The indices of the frames that went out, among all that arrived, from 0.
    package let written: [Range<Int>]
  }

  /// - Parameters:
  ///   - rate: the frame rate, for filters that change with time; `nil` if it is unknown.
  ///   - pace: the number of frames taken per second, if the source would give more; `nil` takes them as they come.
  ///   - said: told about once a second how it goes, while frames come.
  package init(
    _ source: any LiveSource, _ filter: any LiveFilter, _ sink: any LiveSink, rate: FrameRate?,
    pace: FrameRate? = nil, clock: any LiveClock = MonotonicClock(),
    said: @escaping @Sendable (LiveMeter.Account) -> Void = { _ in }
  ) {
    (self.source, self.filter, self.sink) = (source, filter, sink)
    (self.rate, self.pace, self.clock, self.said) = (rate, pace, clock, said)
    for _ in 0..<4 { slots.put(FrameSlot(filter.frameBytes, filter.resultBytes)) }
  }

  /// Takes no more frames; `run` returns when those on their way are out.
  package func stop() { queue.finish() }

  /// Runs until the source ends, to the first failure, or until `stop`.
  ///
  /// - Throws: `VideoError`; frames before it are written.
  package func run() async throws(VideoError) -> Outcome {
    try await callers.run { [sink] () throws(VideoError) in try sink.begin() }
    callers.start { [self] in receive() }
    var recoveries: [Recovery] = []
    var went: [Range<Int>] = []
    var last: FrameMoment?
    var failure: VideoError?
    do throws(VideoError) {
      // Takes the newest frame once the previous one is rendered and the one before is written.
      try await FrameLoop(atOnce: 2).run { [self] _ throws(VideoError) -> Arrival? in
        guard let arrival = try await queue.take() else { return nil }
        for recovery in try await rendered(arrival) where !recoveries.contains(recovery) {
          recoveries.append(recovery)
        }
        last = FrameMoment(index: arrival.index, rate: rate)
        if went.last?.upperBound != arrival.index { went.append(arrival.index..<arrival.index) }
        went[went.count - 1] = went[went.count - 1].lowerBound..<arrival.index + 1
        return arrival
      } work: { _ throws(VideoError) in
      } write: { [self] arrival, _ throws(VideoError) in
        do throws(VideoError) { try await write(arrival) } catch {
          // Also if no more frames arrive.
          queue.finish(.failure(error))
          throw error
        }
      }
      try filter.finish(after: last)
    } catch { failure = error }
    // After an early end, do not wait for the reader: it may block forever.
    queue.close()
    if let failure { throw failure }
    return Outcome(
      account: meter.withLock { $0.total }, recoveries: recoveries, written: went)
  }

  private func rendered(_ arrival: Arrival) async throws(VideoError) -> [Recovery] {
    try await filter.render(
      UnsafeRawBufferPointer(arrival.slot.frame), into: arrival.slot.result,
      at: FrameMoment(index: arrival.index, rate: rate))
  }

  private func write(_ arrival: Arrival) async throws(VideoError) {
    let (slot, count) = (arrival.slot, filter.frameBytes)
    defer { slots.put(slot) }
    try await callers.run { [sink] () throws(VideoError) in
      try sink.send(arrival.line, UnsafeRawBufferPointer(rebasing: slot.result[..<count]))
    }
    tell { $0.sent(arrival.time, at: $1) }
  }

  /// Reads frames while there is a consumer, in a thread that may block.
  private func receive() {
    var pace = pace.map { LivePace($0) }
    for index in 0... {
      guard let slot = slots.takeBlocking() else { return }
      if let time = pace?.next(at: clock.now) { clock.wait(until: time) }
      let line: [UInt8]?
      do { line = try source.next(index + 1, into: slot.frame) } catch {
        return queue.finish(.failure(error))
      }
      guard let line else { return queue.finish() }
      let now = clock.now
      meter.withLock { $0.arrived(at: now) }
      let arrival = Arrival(slot: slot, line: line, index: index, time: now)
      guard let displaced = queue.put(arrival) else { continue }
      // A closed queue returns the frame.
      guard displaced.index != index else { return }
      slots.put(displaced.slot)
      tell { $0.dropped(at: $1) }
    }
  }

  private func tell(_ body: (inout LiveMeter, Duration) -> LiveMeter.Account?) {
    let now = clock.now
    if let account = meter.withLock({ body(&$0, now) }) { said(account) }
  }
}

/// A source of time for live work.
package protocol LiveClock: Sendable {
  /// Since whenever this clock counts; never less than before.
  var now: Duration { get }

  /// Keeps this thread until then.
  func wait(until time: Duration)
}

/// The time since the machine was started, which nobody sets.
package struct MonotonicClock: LiveClock {
  package init() {}

  package var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  package func wait(until time: Duration) {
    let (seconds, attoseconds) = time.components
    var moment = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, nil) == EINTR {}
  }
}

/// A pacer that spaces frames at a steady rate.
///
/// A delay of less than a frame is made up for, so that the rate holds over hours. A longer pause restarts the
/// count, as a burst of late frames helps nobody.
struct LivePace {
  private let step: Duration
  private var due: Duration?

  init(_ rate: FrameRate) { step = .seconds(rate.seconds) / rate.frames }

  /// Returns the time at which the next frame may come.
  ///
  /// - Parameter now: the current time.
  mutating func next(at now: Duration) -> Duration {
    defer { due = (due ?? now) + step }
    guard let due, now - due < step else {
      self.due = now
      return now
    }
    return max(due, now)
  }
}

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
