import Frostglass
import FrostglassCPU
import FrostglassCore
import Synchronization
import TestSupport
import Testing

/// Frames of a sequence through a renderer.
@Suite struct RenderedFramesTests {
  private let images = (1...6).map { TestImages.noise(24, 16, .rgba8, seed: UInt64($0)) }
  private let pipeline = Pipeline(backend: .fast)

  private func renderer() async throws -> Renderer {
    try await Renderer([.gaussian(sigma: 3)], for: Plan.Input(images[0]), on: pipeline)
  }

  @Test func everyFrameIsRendered() async throws {
    let renderer = try await renderer()
    let frames = Frames { [images] number in number < 6 ? images[number] : nil }
    var indices: [Int] = []
    for try await frame in renderer.frames(from: frames) {
      indices.append(frame.index)
      let expected = try await pipeline.blur(images[frame.index], [.gaussian(sigma: 3)])
      #expect(frame.image.bytes == expected.bytes)
    }
    #expect(indices == [0, 1, 2, 3, 4, 5])
  }

  @Test func framesInPlanesAreRendered() async throws {
    let format = YCbCrFormat()
    let pictures = try (1...3).map { try TestPlanes.noise(24, 16, format, seed: UInt64($0)) }
    let renderer = try await YCbCrRenderer(
      [.gaussian(sigma: 3)], for: format, size: pictures[0].size, on: pipeline)
    let source = AsyncStream { continuation in
      for picture in pictures { continuation.yield(picture) }
      continuation.finish()
    }
    var indices: [Int] = []
    for try await frame in renderer.frames(from: source) {
      indices.append(frame.index)
      let expected = try await FastBackend(threads: 1).execute(
        renderer.plan, pictures[frame.index])
      #expect(frame.image.planes.map(\.bytes) == expected.planes.map(\.bytes))
    }
    #expect(indices == [0, 1, 2])
    let other = try TestPlanes.noise(26, 16, format)
    await #expect(throws: FrostglassError.self) { try await renderer.render(other) }
  }

  /// The source is one frame ahead and no more.
  @Test func theSourceWaits() async throws {
    let asked = Mutex(0)
    let frames = Frames { [images] number in
      asked.withLock { $0 = number + 1 }
      return images[number % 6]
    }
    let iterator = try await renderer().frames(from: frames)
    var loop = iterator.makeAsyncIterator()
    for index in 0..<4 {
      let frame = try await loop.next()
      #expect(frame?.index == index)
      #expect(asked.withLock { $0 } <= index + 2)
    }
  }

  @Test func theNewestWins() async throws {
    let (took, take) = AsyncStream.makeStream(of: Void.self)
    let (ends, over) = AsyncStream.makeStream(of: Void.self)
    let frames = Frames { [images] number in
      // The second comes once the first was taken, and the others come behind it.
      if number == 1 { for await _ in took { break } }
      if number == 6 {
        over.yield()
        return nil
      }
      return images[number]
    }
    let rendered = try await renderer().frames(from: frames, whenBehind: .newestWins)
    var loop = rendered.makeAsyncIterator()
    let first = try await loop.next()
    #expect(first?.index == 0)
    take.yield()
    for await _ in ends { break }
    let newest = try await loop.next()
    let last = try #require(newest)
    let expected = try await pipeline.blur(images[5], [.gaussian(sigma: 3)])
    #expect(last.index == 5 && last.image.bytes == expected.bytes)
    let end = try await loop.next()
    #expect(end == nil)
  }

  @Test func aSourceThatFailsEndsItBehindItsFrames() async throws {
    let frames = Frames { [images] number in
      guard number < 2 else { throw Gone() }
      return images[number]
    }
    var count = 0
    await #expect(throws: Gone.self) {
      for try await _ in try await renderer().frames(from: frames) { count += 1 }
    }
    #expect(count == 2)
  }

  @Test func aFrameOfAnotherKindEndsIt() async throws {
    let odd = TestImages.noise(5, 5)
    let frames = Frames { [images] number in number == 1 ? odd : images[0] }
    var loop = try await renderer().frames(from: frames).makeAsyncIterator()
    let first = try await loop.next()
    #expect(first?.index == 0)
    do {
      _ = try await loop.next()
      Issue.record("a frame of another size was rendered")
    } catch { #expect(error is FrostglassError) }
    let end = try await loop.next()
    #expect(end == nil)
  }

  @Test(arguments: [true, false]) func aCancelledLoopEndsItsSource(_ newest: Bool) async throws {
    let (source, give) = AsyncStream.makeStream(of: Image.self)
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    give.onTermination = { _ in end.yield() }
    let (shows, show) = AsyncStream.makeStream(of: Int.self)
    let renderer = try await renderer()
    let task = Task {
      for try await frame in renderer.frames(
        from: source, whenBehind: newest ? .newestWins : .sourceWaits)
      { show.yield(frame.index) }
    }
    give.yield(images[0])
    for await index in shows {
      #expect(index == 0)
      break
    }
    task.cancel()
    // It ends as if there were no more frames.
    try await task.value
    for await _ in ends { break }
  }

  @Test func whoBreaksOffEndsTheSource() async throws {
    let (source, give) = AsyncStream.makeStream(of: Image.self)
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    give.onTermination = { _ in end.yield() }
    give.yield(images[0])
    for try await _ in try await renderer().frames(from: source, whenBehind: .newestWins) { break }
    for await _ in ends { break }
  }
}

private struct Gone: Error {}

/// A sequence that a closure makes.
private struct Frames: AsyncSequence, Sendable {
  let frame: @Sendable (Int) async throws -> Image?

  init(_ frame: @escaping @Sendable (Int) async throws -> Image?) { self.frame = frame }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(frame: frame) }

  struct AsyncIterator: AsyncIteratorProtocol {
    let frame: @Sendable (Int) async throws -> Image?
    var number = 0

    mutating func next() async throws -> Image? {
      defer { number += 1 }
      return try await frame(number)
    }
  }
}
