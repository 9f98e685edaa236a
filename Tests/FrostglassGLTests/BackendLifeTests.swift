import FrostglassCPU
import FrostglassCore
import FrostglassGL
import Glibc
import Synchronization
import Testing

/// Starting, sharing and ending backends.
@Suite struct BackendLifeTests {
  @Test func startsAndEndsManyTimes() async throws {
    let image = Image.noise(30, 20)
    let plan = try FilterChain([.gaussian(sigma: 3)]).plan(for: Plan.Input(image))
    var results: Set<[UInt8]> = []
    for _ in 0..<20 {
      let backend = try await GLBackend.start()
      results.insert(try await backend.execute(plan, [image]).bytes)
    }
    #expect(results.count == 1)
  }

  /// Programs are compiled once, and by another backend again.
  @Test func programsAreKept() async throws {
    let image = Image.noise(30, 20)
    let plan = try FilterChain([.gaussian(sigma: 3)]).plan(for: Plan.Input(image))
    let first = try await GLBackend.start()
    _ = try await first.execute(plan, [image])
    let compiled = await first.compiledPrograms
    #expect(compiled > 0)
    for _ in 0..<5 { _ = try await first.execute(plan, [image]) }
    #expect(await first.compiledPrograms == compiled)
    let second = try await GLBackend.start()
    _ = try await second.execute(plan, [image])
    #expect(await second.compiledPrograms == compiled)
  }

  @Test func endsUnused() async throws {
    for _ in 0..<5 { _ = try await GLBackend.start() }
  }

  @Test func severalRunAtOnce() async throws {
    let image = Image.noise(120, 90)
    let plan = try FilterChain([.gaussian(sigma: 5)]).plan(for: Plan.Input(image))
    let first = try await GLBackend.start(GLOptions(stage: .fragment))
    let second = try await GLBackend.start(GLOptions(stage: .compute))
    let results = try await withThrowingTaskGroup { group in
      for index in 0..<24 {
        group.addTask {
          try await (index % 2 == 0 ? first : second).execute(plan, [image]).bytes
        }
      }
      return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
    }
    #expect(results.count == 1)
  }

  @Test func contextsThatComeAndGoRunAtOnce() async throws {
    let image = Image.noise(40, 30)
    let plan = try FilterChain([.gaussian(sigma: 2)]).plan(for: Plan.Input(image))
    let results = try await withThrowingTaskGroup { group in
      for _ in 0..<6 {
        group.addTask {
          var results: Set<[UInt8]> = []
          for _ in 0..<4 {
            let backend = try await GLBackend.start()
            for _ in 0..<20 { results.insert(try await backend.execute(plan, [image]).bytes) }
          }
          return results
        }
      }
      return try await group.reduce(into: Set<[UInt8]>()) { $0.formUnion($1) }
    }
    #expect(results.count == 1)
  }

  // Contexts of a software driver crash when they run at the same time, see `GLThread`.
  @Test func threadsTakeTurns() async throws {
    let count = AtOnce()
    let threads = try (0..<4).map { _ in try GLThread() }
    await withTaskGroup { group in
      for thread in threads {
        group.addTask {
          for _ in 0..<20 {
            await thread.start {
              count.enter()
              sched_yield()
              count.leave()
            }
          }
        }
      }
    }
    for thread in threads { thread.stop() }
    #expect(count.most == 1)
  }

  @Test func anotherSurvivesTheEndOfOne() async throws {
    let image = Image.noise(30, 20)
    let plan = try FilterChain([.gaussian(sigma: 3)]).plan(for: Plan.Input(image))
    let survivor = try await GLBackend.start()
    let expected = try await survivor.execute(plan, [image]).bytes
    do {
      let other = try await GLBackend.start()
      _ = try await other.execute(plan, [image])
    }
    #expect(try await survivor.execute(plan, [image]).bytes == expected)
  }

  @Test func refusesOtherImages() async throws {
    let backend = try await GLBackend.start()
    let plan = try FilterChain([]).plan(for: Plan.Input(Image.noise(4, 4)))
    await #expect(throws: BackendError.self) {
      try await backend.execute(plan, [Image.noise(5, 4)])
    }
  }

  @Test func tellsItsDevice() async throws {
    let backend = try await GLBackend.start()
    #expect(backend.name == "gl")
    #expect(!backend.deviceDescription.isEmpty)
    #expect(backend.device.capabilities.maxTextureSize >= 2048)
    #expect(backend.isSoftware == backend.device.isSoftware)
  }
}

/// The largest number of threads that were somewhere at the same time.
private final class AtOnce: Sendable {
  private let state = Mutex((now: 0, most: 0))

  var most: Int { state.withLock { $0.most } }

  func enter() {
    state.withLock {
      $0.now += 1
      $0.most = max($0.most, $0.now)
    }
  }

  func leave() {
    state.withLock { $0.now -= 1 }
  }
}
