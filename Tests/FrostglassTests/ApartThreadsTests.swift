import Frostglass
import FrostglassScenes
import FrostglassStills
import Glibc
import Synchronization
import TestSupport
import Testing

/// Canvases and scenes are made on threads of their own, and end when they are to.
@Suite struct ApartThreadsTests {
  private let scratch = OutputScratch()

  /// True if the current task runs on threads of its own, not on the cooperative pool.
  private static var isApart: Bool { withUnsafeCurrentTask { $0?.unownedTaskExecutor != nil } }

  private func canvas(deadline: ContinuousClock.Instant? = nil) throws -> FillJob {
    FillJob(
      source: .bytes(try StillEncoder().encode(TestImages.noise(90, 70), as: .png)),
      letterbox: Letterbox(.size(Size(width: 120, height: 200)), shadow: 0.5),
      sink: .file(scratch / "canvas.png", overwrite: false), deadline: deadline)
  }

  private func scene(
    _ name: String, deadline: ContinuousClock.Instant? = nil
  ) throws -> SceneJob {
    let text = """
      {"canvas": {"width": 40, "height": 30, "background": "#336699"}, "duration": 1}
      """
    return SceneJob(
      file: try SceneFile(text: text, pictures: [:]), moments: .all(framesPerSecond: 5),
      sink: .file(scratch / name, overwrite: false), deadline: deadline)
  }

  @Test func aCanvasIsMadeApart() async throws {
    let told = Mutex<[(Report.Stage, Bool)]>([])
    try await Pipeline(backend: .fast).fill(canvas()) { stage in
      told.withLock { $0.append((stage, Self.isApart)) }
    }
    #expect(told.withLock { $0.map(\.0) } == [.decode, .execute, .encode])
    #expect(told.withLock { $0.allSatisfy(\.1) })
    #expect(scratch.names() == ["canvas.png"])
  }

  @Test func aSceneIsMadeApart() async throws {
    let told = Mutex<[Bool]>([])
    try await Pipeline(backend: .fast).render(scene("scene.webp")) { _, _ in
      told.withLock { $0.append(Self.isApart) }
    }
    #expect(told.withLock { $0 } == [Bool](repeating: true, count: 5))
    #expect(scratch.names() == ["scene.webp"])
  }

  @Test func whatIsLateLeavesNothing() async throws {
    let pipeline = Pipeline(backend: .fast)
    let (canvas, scene) = (try canvas(deadline: .now), try scene("late.webp", deadline: .now))
    let errors = [
      await #expect(throws: FrostglassError.self) { try await pipeline.fill(canvas) },
      await #expect(throws: FrostglassError.self) { try await pipeline.render(scene) },
    ]
    for case let error? in errors {
      guard case .deadlineExceeded = error else {
        Issue.record("\(error)")
        continue
      }
    }
    #expect(scratch.names().isEmpty)
  }

  /// Jobs that only read are abandoned; here they read a pipe without data.
  @Test(arguments: [true, false], [true, false])
  func aPlaceholderAndAPlanAreNotWaitedFor(byDeadline: Bool, isPlan: Bool) async throws {
    let path = scratch / "pipe.png"
    try #require(mkfifo(path, 0o600) == 0)
    let other = open(path, O_RDWR)
    try #require(other >= 0)
    // Who still reads finds the end then.
    defer { close(other) }
    let deadline = byDeadline ? ContinuousClock.now + .milliseconds(30) : nil
    let job = Job(
      source: .file(path),
      outputs: [
        Job.Output(Recipe([.gaussian(sigma: 2)]), to: .memory(EncodedFile()), format: .png)
      ],
      deadline: deadline)
    let task = Task {
      let pipeline = Pipeline(backend: .fast)
      if isPlan {
        _ = try await pipeline.estimate(apart: job)
      } else {
        _ = try await pipeline.placeholder(of: job.source, deadline: deadline)
      }
    }
    if !byDeadline { task.cancel() }
    #expect(await ending(of: task) == (byDeadline ? .deadlineExceeded : .cancelled))
  }

  @Test func aPlaceholderIsTheSameApart() async throws {
    let source = StillSource.bytes(try StillEncoder().encode(TestImages.noise(90, 70), as: .png))
    let apart = try await Pipeline(backend: .fast).placeholder(of: source)
    #expect(apart == (try Placeholder(of: source)))
  }

  /// Cancels a task once it has come so far that it says so, and waits to be.
  private func cancelled<Done: Sendable>(
    _ body: @escaping @Sendable (_ comeSoFar: @escaping @Sendable () -> Void) async throws -> Done
  ) async throws {
    let begun = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      try await body {
        begun.continuation.finish()
        while !Task.isCancelled { sched_yield() }
      }
    }
    for await _ in begun.stream {}
    task.cancel()
    let result = await task.result
    guard case .failure(FrostglassError.cancelled) = result else {
      Issue.record("\(result)")
      return
    }
    #expect(scratch.names().isEmpty)
  }

  /// Also when all that is left to do is to write it.
  @Test(arguments: [Report.Stage.decode, .execute, .encode])
  func aCancelledCanvasLeavesNothing(_ last: Report.Stage) async throws {
    let job = try canvas()
    try await cancelled { comeSoFar in
      try await Pipeline(backend: .fast).fill(job) { stage in if stage == last { comeSoFar() } }
    }
  }

  @Test(arguments: ["film.y4m", "scene.webp"])
  func aCancelledSceneLeavesNothing(_ name: String) async throws {
    let job = try scene(name)
    try await cancelled { comeSoFar in
      try await Pipeline(backend: .fast).render(job) { done, _ in if done == 1 { comeSoFar() } }
    }
  }
}
