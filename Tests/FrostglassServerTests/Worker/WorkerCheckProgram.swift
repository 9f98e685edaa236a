import FrostglassServer
import Glibc
import Synchronization
import TestSupport

/// The program whose workers do on demand what none should: `frostglass-worker-check`.
enum WorkerCheckProgram {
  static let path = BuiltProgram.path("frostglass-worker-check")

  /// Starts it for a line or two, and reads those.
  ///
  /// - Returns: the process, which is still to be waited for, and what it said until it closed its
  ///   output or `lines` lines were there.
  static func start(_ argument: String, lines: Int) throws -> (process: pid_t, text: String) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw SystemFailure(code: errno) }
    defer { close(ends[0]) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    for end in ends { posix_spawn_file_actions_addclose(&actions, end) }
    let words: [UnsafeMutablePointer<CChar>?] = [strdup(path), strdup(argument), nil]
    defer { for word in words { free(word) } }
    var process = pid_t()
    let refusal = posix_spawn(&process, path, &actions, nil, words, environ)
    close(ends[1])
    guard refusal == 0 else { throw SystemFailure(code: refusal) }
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while bytes.count(where: { $0 == 10 }) < lines, read(ends[0], &byte, 1) == 1 {
      bytes.append(byte)
    }
    return (process, String(decoding: bytes, as: UTF8.self))
  }
}

/// A system call that the tests need did not work.
struct SystemFailure: Error {
  var code: Int32
}

/// A pool of such workers, and what happened to them.
final class CheckedPool: Sendable {
  let pool: WorkerPool
  private let log = EventLog()

  private final class EventLog: Sendable {
    let events = Mutex<[WorkerEvent]>([])
  }

  init(
    _ count: Int = 1, _ change: (inout WorkerPool.Options) -> Void = { _ in }
  ) throws {
    var options = WorkerPool.Options(checking: count)
    change(&options)
    pool = try WorkerPool(options) { [log] event in log.events.withLock { $0.append(event) } }
  }

  deinit {
    pool.end()
    pool.waitForEnd()
  }

  /// The events so far.
  var events: [WorkerEvent] { log.events.withLock { $0 } }

  /// Why children are gone.
  var ends: [WorkerEnd] {
    events.compactMap { if case .ended(_, let reason) = $0 { reason } else { nil } }
  }

  /// The children that there were.
  var started: [Int32] {
    events.compactMap { if case .started(let process, _) = $0 { process } else { nil } }
  }

  func perform(
    _ operation: String, _ values: [String] = [], parts: [String: [UInt8]] = [:],
    seconds: Double = 60
  ) async -> WorkAnswer {
    await pool.perform(
      WorkOrder(
        operation, fields: values.map { Field("value", $0) },
        limits: WorkLimits(seconds: seconds), parts: parts))
  }

  /// The number of the process that does an order.
  func process() async -> Int32? { Int32(await perform("test-process").text) }

  /// Waits until something holds, for a minute at most.
  ///
  /// - Returns: true if it holds in time.
  func until(_ holds: () -> Bool) async -> Bool {
    for _ in 0..<6000 {
      if holds() { return true }
      try? await Task.sleep(for: .milliseconds(10))
    }
    return holds()
  }
}

extension WorkAnswer {
  /// The body as text.
  var text: String { String(decoding: body, as: UTF8.self) }
}

extension WorkerPool.Options {
  /// Those of a pool of such workers.
  init(checking count: Int) {
    self.init(count: count)
    program = WorkerCheckProgram.path
  }
}
