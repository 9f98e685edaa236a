import FrostglassBackends
import FrostglassCPU
import FrostglassGL
import Testing

/// Several backends as one.
@Suite struct BackendPoolTests {
  private let image = Image.textured(Size(width: 16, height: 12), .rgba8)

  private func plan() throws -> Plan {
    try FilterChain([.gaussian(sigma: 2)]).plan(for: Plan.Input(image))
  }

  @Test func jobsGoWhereTheFewestAre() async throws {
    let (first, second) = (MadeUpBackend(), MadeUpBackend())
    let pool = BackendPool(first, [second])
    #expect(pool.name == "gl" && pool.members.count == 2)
    let (plan, image) = (try plan(), image)
    first.hold(true)
    let held = Task { try await pool.execute(plan, [image]) }
    while first.ran == 0 { await Task.yield() }
    // The first has one in hand, so all others go to the second.
    for _ in 0..<5 { _ = try await pool.execute(plan, [image]) }
    #expect((first.ran, second.ran) == (1, 5))
    first.hold(false)
    _ = try await held.value
    // Both are free; the first was given less.
    for _ in 0..<4 { _ = try await pool.execute(plan, [image]) }
    #expect((first.ran, second.ran) == (5, 5))
    #expect(pool.jobCounts == [5, 5])
  }

  @Test func failuresFreeThePlace() async throws {
    let pool = BackendPool(ReferenceBackend(), [ReferenceBackend()])
    let plan = try plan()
    for _ in 0..<4 {
      await #expect(throws: BackendError.self) { try await pool.execute(plan, []) }
    }
    #expect(pool.jobCounts == [2, 2])
  }

  @Test func severalContextsGiveTheSameBytes() async throws {
    let pool = BackendPool(try await GLBackend.start(), [try await GLBackend.start()])
    let (plan, image) = (try plan(), image)
    let expected = try await pool.members[0].execute(plan, [image]).bytes
    let results = try await withThrowingTaskGroup { group in
      for _ in 0..<12 { group.addTask { try await pool.execute(plan, [image]).bytes } }
      return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
    }
    #expect(results == [expected])
    #expect(pool.jobCounts.reduce(0, +) == 12 && pool.jobCounts.allSatisfy { $0 > 0 })
    var result = Image(zeros: image.size, format: .rgba8)
    try await pool.execute(plan, [image], into: &result)
    #expect(result.bytes == expected)
  }
}
