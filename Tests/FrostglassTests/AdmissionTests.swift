import Frostglass
import Synchronization
import Testing

/// So many jobs at once, within so much memory, in order.
@Suite struct AdmissionTests {
  /// Jobs that say when they begin, and end when they are told to.
  private final class Jobs: Sendable {
    private let state = Mutex((begun: [Int](), gates: [Int: CheckedContinuation<Void, Never>]()))

    var begun: [Int] { state.withLock { $0.begun } }

    func run(_ name: Int) async {
      await withCheckedContinuation { gate in
        state.withLock { state in
          state.begun.append(name)
          state.gates[name] = gate
        }
      }
    }

    func end(_ name: Int) {
      state.withLock { $0.gates.removeValue(forKey: name) }?.resume()
    }
  }

  /// Waits for what must come.
  private func until(_ holds: () -> Bool) async {
    while !holds() { await Task.yield() }
  }

  private func start(_ name: Int, _ bytes: Int, _ admission: Admission, _ jobs: Jobs) async
    -> Task<Void, any Error>
  {
    let before = admission.running + admission.waiting
    let task = Task {
      try await admission.run(bytes) { () async throws(FrostglassError) in await jobs.run(name) }
    }
    await until { admission.running + admission.waiting > before }
    return task
  }

  @Test func placesAndMemoryAreKept() async throws {
    let (admission, jobs) = (Admission(jobs: 3, memory: 100), Jobs())
    var tasks: [Task<Void, any Error>] = []
    for (name, bytes) in [40, 60, 0, 10, 50].enumerated() {
      tasks.append(await start(name, bytes, admission, jobs))
    }
    await until { jobs.begun.count == 3 }
    #expect(jobs.begun == [0, 1, 2] && admission.bytes == 100 && admission.waiting == 2)
    jobs.end(2)
    // There is a place, but no memory, and nobody overtakes.
    await until { admission.running == 2 }
    #expect(admission.waiting == 2)
    jobs.end(1)
    await until { jobs.begun.count == 5 }
    #expect(admission.bytes == 100)
    for name in 0..<5 { jobs.end(name) }
    for task in tasks { try await task.value }
    #expect(admission.running == 0 && admission.bytes == 0)
  }

  @Test func aLargeOneRunsAlone() async throws {
    let (admission, jobs) = (Admission(jobs: 4, memory: 100), Jobs())
    let small = await start(0, 1, admission, jobs)
    let large = await start(1, 5000, admission, jobs)
    let later = await start(2, 1, admission, jobs)
    #expect(admission.running == 1 && admission.waiting == 2)
    jobs.end(0)
    await until { jobs.begun == [0, 1] }
    #expect(admission.running == 1)
    jobs.end(1)
    await until { jobs.begun == [0, 1, 2] }
    jobs.end(2)
    for task in [small, large, later] { try await task.value }
  }

  @Test func whoIsCancelledLeavesTheQueue() async throws {
    let (admission, jobs) = (Admission(jobs: 1, memory: 100), Jobs())
    let first = await start(0, 1, admission, jobs)
    await until { jobs.begun == [0] }
    let second = await start(1, 1, admission, jobs)
    let third = await start(2, 1, admission, jobs)
    second.cancel()
    await #expect(throws: FrostglassError.self) { try await second.value }
    jobs.end(0)
    await until { jobs.begun == [0, 2] }
    jobs.end(2)
    try await first.value
    try await third.value
    #expect(admission.running == 0 && admission.waiting == 0)
  }
}
