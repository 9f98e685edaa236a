internal import Synchronization

/// Several backends of one kind, such as one per GPU, as one: each job goes to the one that has the
/// fewest.
public final class BackendPool: Backend {
  public let name: String
  /// What it consists of; at least one.
  public let members: [any Backend]
  private let jobs: Mutex<[Jobs]>

  private struct Jobs {
    var now = 0
    var ever = 0
  }

  /// - Parameter members: backends of one name; at least one.
  public init(_ first: any Backend, _ others: [any Backend] = []) {
    name = first.name
    members = [first] + others
    jobs = Mutex([Jobs](repeating: Jobs(), count: 1 + others.count))
  }

  /// How many jobs each member was given so far.
  public var jobCounts: [Int] { jobs.withLock { $0.map(\.ever) } }

  public func execute(_ plan: Plan, _ inputs: [Image]) async throws(BackendError) -> Image {
    let index = take()
    defer { giveBack(index) }
    return try await members[index].execute(plan, inputs)
  }

  public func execute(
    _ plan: Plan, _ inputs: [Image], telling tell: @Sendable (Recovery) -> Void
  ) async throws(BackendError) -> Image {
    let index = take()
    defer { giveBack(index) }
    return try await members[index].execute(plan, inputs, telling: tell)
  }

  public func execute(
    _ plan: Plan, _ inputs: [Image], into result: inout Image
  ) async throws(BackendError) {
    let index = take()
    defer { giveBack(index) }
    try await members[index].execute(plan, inputs, into: &result)
  }

  /// The member with the fewest jobs; among equals the one that was given the fewest so far.
  private func take() -> Int {
    jobs.withLock { jobs in
      let best = jobs.indices.min { (jobs[$0].now, jobs[$0].ever) < (jobs[$1].now, jobs[$1].ever) }
      let index = best ?? 0
      jobs[index].now += 1
      jobs[index].ever += 1
      return index
    }
  }

  private func giveBack(_ index: Int) {
    jobs.withLock { $0[index].now -= 1 }
  }
}
