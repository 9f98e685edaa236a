import Frostglass
import FrostglassCore
import Synchronization
import TestSupport
import Testing

/// Frames on their way from a source to a sink.
@Suite struct FrameLoopTests {
  private struct Wrong: Error, Equatable { var number: Int }

  /// Frames are written in order, whichever is ready first.
  @Test(arguments: 1...4) func framesAreWrittenInOrderWithMemoryForAFew(atOnce: Int) async throws {
    let read = Mutex(0)
    let written = Mutex<[Int]>([])
    let jobs = GatedJobs()
    let loop = FrameLoop<Wrong>(atOnce: atOnce)
    let ends = Task {
      // The last of those on their way is done first.
      var first = 0
      while first < 12 {
        let group = first..<min(first + atOnce, 12)
        await until { jobs.begun.count == group.upperBound }
        for number in group.reversed() { jobs.end(number) }
        first = group.upperBound
        await until { written.withLock { $0.count } == group.upperBound }
      }
    }
    try await loop.run { number throws(Wrong) in
      read.withLock { $0 = number + 1 }
      #expect(number - written.withLock { $0.count } < atOnce)
      return number < 12 ? number : nil
    } work: { number throws(Wrong) in
      await jobs.run(number)
      return "\(number)"
    } write: { number, made throws(Wrong) in
      #expect(made == "\(number)")
      written.withLock { $0.append(number) }
    }
    await ends.value
    #expect(written.withLock { $0 } == Array(0..<12) && read.withLock { $0 } == 13)
  }

  /// If several frames fail, the error of the first in order is thrown. Frames before it are written.
  @Test func theFirstFailureInOrderEndsIt() async {
    let written = Mutex<[Int]>([])
    let jobs = GatedJobs()
    let ends = Task {
      await until { jobs.begun.contains(3) }
      // Others may have been read before the third is known to have failed.
      for number in [3, 2, 1, 0, 4, 5, 6] { jobs.end(number) }
    }
    await #expect(throws: Wrong(number: 2)) {
      try await FrameLoop<Wrong>(atOnce: 4).run { number throws(Wrong) in
        number
      } work: { number throws(Wrong) in
        await jobs.run(number)
        if number >= 2 { throw Wrong(number: number) }
      } write: { number, _ throws(Wrong) in
        written.withLock { $0.append(number) }
      }
    }
    await ends.value
    #expect(written.withLock { $0 } == [0, 1])
  }

  /// Closures throw what they like.
  @Test func aSourceOrSinkThatFailsEndsIt() async {
    let written = Mutex<[Int]>([])
    await #expect(throws: Wrong(number: 5)) {
      try await FrameLoop<any Error>(atOnce: 2).run { number in
        if number == 5 { throw Wrong(number: number) }
        return number
      } work: { _ in
      } write: { number, _ in
        written.withLock { $0.append(number) }
      }
    }
    #expect(written.withLock { $0 } == [0, 1, 2, 3, 4])
    await #expect(throws: CancellationError.self) {
      try await FrameLoop<any Error>(atOnce: 2).run { number in
        number
      } work: { _ in
      } write: { number, _ in
        if number == 3 { throw CancellationError() }
      }
    }
  }

  /// The source may wait until all that it has given is written.
  @Test func theSourceDrainsTheLoop() async throws {
    let written = Mutex(0)
    let loop = FrameLoop<Wrong>(atOnce: 3)
    try await loop.run { number throws(Wrong) in
      await loop.drain()
      #expect(written.withLock { $0 } == number)
      return number < 6 ? number : nil
    } work: { _ throws(Wrong) in
      await Task.yield()
    } write: { _, _ throws(Wrong) in
      await Task.yield()
      written.withLock { $0 += 1 }
    }
    #expect(written.withLock { $0 } == 6)
  }
}
