import Frostglass
import FrostglassCore
import Synchronization
import Testing

/// Frames that do not wait. What happens when is decided by the tests.
@Suite struct LiveRunTests {
  @Test func whatThereIsTimeForGoesOut() async throws {
    let clock = HandClock()
    // A frame comes when all that is to be said of the one before was said, which asks for the time twice.
    let source = Source { number in
      clock.state.wait(until: { $0.calls >= 2 * (number - 1) }) { $0.now += .milliseconds(20) }
      return number <= 6 ? UInt8(number) : nil
    }
    let filter = Doubling { _ in clock.state.change { $0.now += .milliseconds(7) } }
    let sink = Sink()
    let outcome = try await LiveRun(source, filter, sink, rate: nil, clock: clock).run()
    #expect(sink.frames == [2, 4, 6, 8, 10, 12])
    #expect(filter.indices == [0, 1, 2, 3, 4, 5])
    #expect(outcome.account.frames == 6 && outcome.account.dropped == 0)
    #expect(outcome.account.longest == .milliseconds(7))
    #expect(outcome.account.median == .milliseconds(7))
  }

  @Test func theNewestIsNext() async throws {
    let events = Monitor((begun: false, asked: false))
    let source = Source { number in
      // The second comes while the first is rendered, and four more behind it.
      if number == 2 { events.wait(until: { $0.begun }) { _ in } }
      if number == 7 { events.change { $0.asked = true } }
      return number < 7 ? UInt8(number) : nil
    }
    let filter = Doubling { index in
      guard index == 0 else { return }
      events.change { $0.begun = true }
      events.wait(until: { $0.asked }) { _ in }
    }
    let sink = Sink()
    let said = Mutex<[LiveMeter.Account]>([])
    let clock = HandClock()
    let outcome = try await LiveRun(
      source, filter, sink, rate: FrameRate(25, in: 1), clock: clock,
      said: { account in said.withLock { $0.append(account) } }
    ).run()
    #expect(sink.frames == [2, 12])
    #expect(filter.indices == [0, 5] && filter.moments.map(\.seconds) == [0, 0.2])
    #expect(outcome.account.frames == 2 && outcome.account.dropped == 4)
    // The clock stood still.
    #expect(said.withLock { $0.isEmpty })
  }

  /// A second is over with the third frame.
  @Test func eachSecondIsTold() async throws {
    let clock = HandClock()
    let source = Source { number in
      clock.state.wait(until: { $0.calls >= 2 * (number - 1) }) { $0.now += .milliseconds(500) }
      return number <= 6 ? UInt8(number) : nil
    }
    let said = Mutex<[Int]>([])
    let outcome = try await LiveRun(
      source, Doubling { _ in }, Sink(), rate: nil, clock: clock,
      said: { account in said.withLock { $0.append(account.frames) } }
    ).run()
    #expect(said.withLock { $0 } == [3, 2])
    #expect(outcome.account.span == .milliseconds(2500))
  }

  @Test func aPipeThatWouldGiveMoreIsReadAtItsPace() async throws {
    let clock = HandClock()
    let source = Source { number in
      // The fourth is late by more than a frame.
      clock.state.change { $0.now += .milliseconds(number == 4 ? 150 : 10) }
      return number <= 6 ? UInt8(number) : nil
    }
    let sink = Sink()
    let pace = try #require(FrameRate(25, in: 1))
    let run = LiveRun(source, Doubling { _ in }, sink, rate: nil, pace: pace, clock: clock)
    _ = try await run.run()
    // Due at 0, 40, 80 and 120 ms, but read until 270: from there on 40 ms each.
    let waits = clock.state.withLock { $0.waits }
    #expect(waits == [0, 40, 80, 120, 270, 310, 350].map { .milliseconds($0) })
  }

  /// Nobody waits for a source that may never give anything.
  @Test func whatCannotBeWrittenEndsIt() async throws {
    let isOver = Monitor(false)
    let source = Source { number in
      if number > 1 { isOver.wait(until: { $0 }) { _ in } }
      return number == 1 ? 1 : nil
    }
    let sink = Sink(fails: true)
    await #expect(throws: VideoError.unwritable("full")) {
      _ = try await LiveRun(source, Doubling { _ in }, sink, rate: nil, clock: HandClock()).run()
    }
    isOver.change { $0 = true }
  }

  @Test func whatCannotBeRenderedOrReadEndsIt() async throws {
    let filter = Doubling { index in if index == 1 { throw VideoError.tracks("lost") } }
    let (first, isOver) = (Monitor(0), Monitor(false))
    let source = Source { number in
      if number == 2 { first.wait(until: { $0 == 1 }) { _ in } }
      if number == 3 { isOver.wait(until: { $0 }) { _ in } }
      return number < 3 ? UInt8(number) : nil
    }
    let sink = Sink { first.change { $0 += 1 } }
    await #expect(throws: VideoError.tracks("lost")) {
      _ = try await LiveRun(source, filter, sink, rate: nil, clock: HandClock()).run()
    }
    isOver.change { $0 = true }
    #expect(sink.frames == [2])

    let broken = Source { number in
      guard number == 1 else { throw VideoError.device("gone") }
      return 1
    }
    let rest = Sink()
    await #expect(throws: VideoError.device("gone")) {
      _ = try await LiveRun(broken, Doubling { _ in }, rest, rate: nil, clock: HandClock()).run()
    }
    // What had come before is out.
    #expect(rest.frames == [2])
  }

  @Test func itEndsWhenItIsToldTo() async throws {
    let isOver = Monitor(false)
    let written = Monitor(0)
    let (stops, stop) = AsyncStream.makeStream(of: Void.self)
    let source = Source { number in
      written.wait(until: { $0 == number - 1 }) { _ in }
      if number == 3 {
        stop.yield()
        isOver.wait(until: { $0 }) { _ in }
        return nil
      }
      return UInt8(number)
    }
    let sink = Sink { written.change { $0 += 1 } }
    let run = LiveRun(source, Doubling { _ in }, sink, rate: nil, clock: HandClock())
    async let outcome = run.run()
    for await _ in stops { break }
    run.stop()
    #expect(try await outcome.account.frames == 2)
    isOver.change { $0 = true }
    #expect(sink.frames == [2, 4])
  }
}

/// A clock that the test sets.
private final class HandClock: LiveClock {
  struct State {
    var now = Duration.zero
    /// The number of calls.
    var calls = 0
    var waits: [Duration] = []
  }

  let state = Monitor(State())

  var now: Duration {
    state.change {
      $0.calls += 1
      return $0.now
    }
  }

  func wait(until time: Duration) {
    state.change {
      $0.waits.append(time)
      $0.now = max($0.now, time)
    }
  }
}

/// Frames of one byte.
private struct Source: LiveSource {
  let frame: @Sendable (Int) throws -> UInt8?

  func next(
    _ number: Int, into target: UnsafeMutableRawBufferPointer
  ) throws(VideoError) -> [UInt8]? {
    do {
      guard let byte = try frame(number) else { return nil }
      target[0] = byte
      return [byte]
    } catch let error as VideoError { throw error } catch { throw .badStream("\(error)") }
  }
}

/// Doubles them.
private final class Doubling: LiveFilter {
  private let work: @Sendable (Int) throws -> Void
  private let seen = Mutex<[FrameMoment]>([])
  private let threads = ThreadPool()

  init(_ work: @escaping @Sendable (Int) throws -> Void) { self.work = work }

  var frameBytes: Int { 1 }
  var resultBytes: Int { 3 }
  var moments: [FrameMoment] { seen.withLock { $0 } }
  var indices: [Int] { moments.map(\.index) }

  func render(
    _ frame: UnsafeRawBufferPointer, into result: UnsafeMutableRawBufferPointer,
    at moment: FrameMoment
  ) async throws(VideoError) -> [Recovery] {
    seen.withLock { $0.append(moment) }
    let byte = frame[0]
    let work = work
    try await threads.run { () throws(VideoError) in
      do { try work(moment.index) } catch let error as VideoError { throw error } catch {
        throw .badStream("\(error)")
      }
    }
    result[0] = 2 * byte
    return []
  }

  func finish(after last: FrameMoment?) throws(VideoError) {}
}

/// Keeps them, and holds that their lines are theirs.
private final class Sink: LiveSink {
  private let kept = Mutex<[UInt8]>([])
  private let fails: Bool
  private let told: @Sendable () -> Void

  init(fails: Bool = false, told: @escaping @Sendable () -> Void = {}) {
    (self.fails, self.told) = (fails, told)
  }

  var frames: [UInt8] { kept.withLock { $0 } }

  func begin() throws(VideoError) {}

  func send(_ line: [UInt8], _ frame: UnsafeRawBufferPointer) throws(VideoError) {
    guard !fails else { throw .unwritable("full") }
    kept.withLock { $0.append(frame[0]) }
    #expect(line == [frame[0] / 2] && frame.count == 1)
    told()
  }
}
