import Frostglass
import FrostglassBackends
import FrostglassCPU
import FrostglassCore
import Synchronization
import TestSupport
import Testing

/// Frame after frame through one renderer.
@Suite struct RendererTests {
  private func frames(_ count: Int) -> [Image] {
    (1...count).map { TestImages.noise(64, 48, .rgba8, seed: UInt64($0)) }
  }

  private func rendered(_ frame: Image, by renderer: Renderer) async throws -> [UInt8] {
    let output = ImageOutput()
    try await renderer.render(PixelIO([.image(frame)], to: [.image(output)]))
    return output.take()?.bytes ?? []
  }

  @Test(arguments: [BackendChoice.fast, .reference, .gl])
  func framesAreAsImagesOfTheirOwn(_ choice: BackendChoice) async throws {
    let pipeline = Pipeline(backend: choice)
    let frames = frames(5)
    let renderer = try await Renderer(
      [.gaussian(sigma: 4), .saturation(1.8)], for: Plan.Input(frames[0]), on: pipeline)
    #expect(renderer.backend == choice.rawValue)
    for frame in frames {
      let expected = try await pipeline.blur(frame, [.gaussian(sigma: 4), .saturation(1.8)])
      #expect(try await rendered(frame, by: renderer) == expected.bytes)
      let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 48 * 4, alignment: 16)
      defer { bytes.deallocate() }
      try await frame.withPixelMemory { memory in
        try await renderer.render(
          memory, into: MutablePixelMemory(bytes: bytes, bytesPerRow: 64 * 4))
      }
      #expect(Array(bytes) == expected.bytes)
    }
  }

  /// As many as the backend likes are in flight, and no more.
  @Test func framesAreInFlight() async throws {
    let frames = frames(12)
    let plan = try FilterChain([.gaussian(sigma: 2)]).plan(for: Plan.Input(frames[0]))
    let crowd = Crowd(frames: 12)
    let pipeline = Pipeline(
      selector: BackendSelector(
        BackendSelector.Selection(backend: crowd, fallback: nil, reason: "test")))
    let renderer = try await Renderer(plan, on: pipeline)
    let returned = Numbers()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, frame) in frames.enumerated() {
        group.addTask {
          let output = ImageOutput()
          try await renderer.render(PixelIO([.image(frame)], to: [.image(output)]))
          returned.add(index)
        }
      }
      try await group.waitForAll()
    }
    #expect(crowd.counts == Crowd.Counts(begun: 12, ended: 12, most: 3))
    #expect(Set(returned.all) == Set(0..<12))
  }

  @Test func aFrameThatFailsLetsOthersPass() async throws {
    let frames = frames(3)
    let renderer = try await Renderer(
      [.gaussian(sigma: 4)], for: Plan.Input(frames[0]), on: Pipeline(backend: .fast))
    let other = TestImages.noise(9, 9)
    await #expect(throws: FrostglassError.self) { try await rendered(other, by: renderer) }
    let task = Task { try await rendered(frames[0], by: renderer) }
    task.cancel()
    _ = await task.result
    for frame in frames { #expect(try await rendered(frame, by: renderer).count == 64 * 48 * 4) }
  }

  /// In the middle of a queue of three, by its task or by what it was given; the next ones are rendered.
  @Test(arguments: [true, false]) func whoWaitsHearsOfItsEnd(isTask: Bool) async throws {
    let jobs = GatedJobs()
    let frames = try (0..<4).map {
      try Image(size: Size(width: 1, height: 1), format: .gray8, bytes: [UInt8($0)])
    }
    let renderer = try await Renderer(
      [.gaussian(sigma: 2)], for: Plan.Input(frames[0]),
      on: Pipeline(
        selector: BackendSelector(
          BackendSelector.Selection(
            backend: GatedBackend(jobs: jobs), fallback: nil, reason: "test"))))
    let cancellations = frames.map { _ in Cancellation() }
    var tasks: [Task<[UInt8]?, any Error>] = []
    for (index, frame) in frames.enumerated() {
      tasks.append(
        Task {
          let output = ImageOutput()
          try await renderer.render(
            PixelIO([.image(frame)], to: [.image(output)], cancellation: cancellations[index]))
          return output.take()?.bytes
        })
      await until { index == 0 ? jobs.begun == [0] : renderer.waiting == index }
    }
    if isTask { tasks[2].cancel() } else { cancellations[2].cancel() }
    #expect(await ending(of: tasks[2]) == .cancelled)
    #expect(renderer.waiting == 2 && jobs.begun == [0])
    for index in [0, 1, 3] {
      jobs.end(index)
      #expect(try await tasks[index].value == [UInt8(index)])
    }
    #expect(jobs.begun == [0, 1, 3] && renderer.waiting == 0)
    // A task's end is not that of others who have its cancellation.
    #expect(cancellations.map(\.isCancelled) == [false, false, !isTask, false])
  }

  /// If the system gives no thread, the caller's thread plans.
  @Test func chainsArePlannedWithoutThreads() async throws {
    let frame = frames(1)[0]
    let pipeline = Pipeline(
      selector: BackendSelector(.reference), on: ThreadPool { _ in false })
    let chain: FilterChain = [.gaussian(sigma: 4)]
    let renderer = try await Renderer(chain, for: Plan.Input(frame), on: pipeline)
    #expect(renderer.plan == (try chain.plan(for: Plan.Input(frame))))
    let expected = try await Pipeline(backend: .reference).blur(frame, chain)
    #expect(try await rendered(frame, by: renderer) == expected.bytes)
    #expect(try await pipeline.blur(frame, chain).bytes == expected.bytes)
    do throws(FrostglassError) {
      _ = try await pipeline.blur(frame, [.gaussian(sigma: -1)])
      Issue.record("it was planned")
    } catch {
      guard case .plan = error else { throw error }
    }
    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await pipeline.blur(frame, chain)
    }
    #expect(await ending(of: cancelled) == .cancelled)
  }
}

/// Numbers in the order in which they came.
private final class Numbers: Sendable {
  private let list = Mutex<[Int]>([])

  var all: [Int] { list.withLock { $0 } }

  func add(_ number: Int) { list.withLock { $0.append(number) } }
}

extension Image {
  fileprivate func withPixelMemory(
    _ body: (PixelMemory) async throws -> Void
  ) async throws {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 16)
    defer { copy.deallocate() }
    copy.copyBytes(from: bytes)
    try await body(PixelMemory(Plan.Input(self), bytes: UnsafeRawBufferPointer(copy)))
  }
}

/// Frames in planes through one renderer.
@Suite struct YCbCrRendererTests {
  @Test(arguments: [BackendChoice.fast, .reference, .gl])
  func framesAreAsImagesOfTheirOwn(_ choice: BackendChoice) async throws {
    let pipeline = Pipeline(backend: choice)
    for format in TestPlanes.someFormats.prefix(4) {
      let plan = try FilterChain([.gaussian(sigma: 3)]).plan(
        for: format, size: Size(width: 21, height: 14))
      let renderer = try await YCbCrRenderer(
        [.gaussian(sigma: 3)], for: format, size: plan.size, on: pipeline)
      for shift in 0..<3 {
        let picture = try TestPlanes.make(21, 14, format) { x, y in
          16 + (x * 7 + y * 11 + shift * 31) % 200
        } chroma: { x, y, isRed in
          16 + (x * 13 + y * 5 + shift * 17 + (isRed ? 40 : 0)) % 200
        }
        let expected = try await ReferenceBackend().execute(plan, picture)
        let made = try await rendered(picture, by: renderer)
        let largest = zip(made, expected.planes).map { made, plane in
          zip(made, plane.bytes).map { abs(Int($0) - Int($1)) }.max() ?? 0
        }
        // 8-bit codes; the low bytes of deeper ones may differ by all they hold.
        let limit = format.bits.rawValue == 8 ? 1 : 255
        #expect(largest.allSatisfy { $0 <= limit }, "\(format)")
        #expect(made.map(\.count) == expected.planes.map(\.bytes.count))
        if choice == .fast {
          let whole = try await FastBackend(threads: 2).execute(plan, picture)
          #expect(made == whole.planes.map(\.bytes), "\(format)")
        }
      }
    }
  }

  private func rendered(
    _ picture: YCbCrImage, by renderer: YCbCrRenderer
  ) async throws -> [[UInt8]] {
    let sources = picture.planes.map { plane in
      let bytes = UnsafeMutableRawBufferPointer.allocate(
        byteCount: plane.bytes.count, alignment: 16)
      bytes.copyBytes(from: plane.bytes)
      return bytes
    }
    let results = sources.map {
      UnsafeMutableRawBufferPointer.allocate(byteCount: $0.count, alignment: 16)
    }
    defer { for bytes in sources + results { bytes.deallocate() } }
    try await renderer.render(
      zip(picture.planes, sources).map {
        PixelMemory(
          Plan.Input($0), bytes: UnsafeRawBufferPointer($1), bytesPerRow: $0.bytesPerRow)
      },
      into: zip(picture.planes, results).map {
        MutablePixelMemory(bytes: $1, bytesPerRow: $0.bytesPerRow)
      })
    return results.map { Array($0) }
  }

  @Test func otherPlanesAreRefused() async throws {
    let format = YCbCrFormat()
    let renderer = try await YCbCrRenderer(
      [.gaussian(sigma: 3)], for: format, size: Size(width: 20, height: 10),
      on: Pipeline(backend: .fast))
    await #expect(throws: FrostglassError.self) { try await renderer.render([], into: []) }
  }
}
