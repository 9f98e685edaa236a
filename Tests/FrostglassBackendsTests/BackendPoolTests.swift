import FrostglassBackends
import FrostglassCPU
import FrostglassGL
import Synchronization
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

  @Test(arguments: [
    BackendError.broken(backend: "gl", what: "given up"),
    .unavailable(backend: "gl", reason: "gone", remedy: "none"),
  ])
  func aBrokenMemberIsLeftAlone(_ error: BackendError) async throws {
    let (first, second) = (MadeUpBackend(), MadeUpBackend())
    let pool = BackendPool(first, [second])
    let (plan, image) = (try plan(), image)
    first.fail(error)
    let told = Mutex<[Recovery]>([])
    for _ in 0..<6 {
      _ = try await pool.execute(plan, [image]) { recovery in
        told.withLock { $0.append(recovery) }
      }
    }
    #expect((first.ran, second.ran) == (1, 6))
    #expect(told.withLock { $0.map(\.remedy) } == [.otherDevice])
    // Also while the other one is busy.
    second.hold(true)
    let held = Task { try await pool.execute(plan, [image]) }
    while second.ran == 6 { await Task.yield() }
    let next = Task { try await pool.execute(plan, [image]) }
    while second.ran == 7 { await Task.yield() }
    second.hold(false)
    _ = try await (held.value, next.value)
    #expect(first.ran == 1)
    var result = Image(zeros: image.size, format: .rgba8)
    try await pool.execute(plan, [image], into: &result)
    #expect((first.ran, second.ran) == (1, 9))
  }

  @Test func whereAllMembersAreBrokenTheJobFails() async throws {
    let members = [MadeUpBackend(), MadeUpBackend(), MadeUpBackend()]
    let pool = BackendPool(members[0], Array(members.dropFirst()))
    let (plan, image) = (try plan(), image)
    for member in members { member.fail(.broken(backend: "gl", what: "given up")) }
    await #expect(throws: BackendError.broken(backend: "gl", what: "given up")) {
      try await pool.execute(plan, [image])
    }
    #expect(members.map(\.ran) == [1, 1, 1])
    // One that works again is found.
    members[2].fail(nil)
    _ = try await pool.execute(plan, [image])
    let before = members[2].ran
    for _ in 0..<3 { _ = try await pool.execute(plan, [image]) }
    #expect(members[2].ran == before + 3)
  }

  /// A plan that is too much for one member says nothing about the next plan.
  @Test func aPlanThatIsTooMuchGoesToAnother() async throws {
    let (first, second) = (MadeUpBackend(), MadeUpBackend())
    let pool = BackendPool(first, [second])
    let (plan, image) = (try plan(), image)
    first.fail(.unsupported(backend: "gl", what: "too large"))
    _ = try await pool.execute(plan, [image])
    #expect((first.ran, second.ran) == (1, 1))
    first.fail(nil)
    for _ in 0..<4 { _ = try await pool.execute(plan, [image]) }
    #expect((first.ran, second.ran) == (3, 3))
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
