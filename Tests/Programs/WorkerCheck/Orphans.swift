import FrostglassServer
import Glibc

/// A parent that is about to be killed.
enum Orphans {
  static func wait() async -> Int32 {
    guard let pool = try? WorkerPool(WorkerPool.Options(count: 2)) else { return 1 }
    while pool.ready < 2 { try? await Task.sleep(for: .milliseconds(5)) }
    // One that works, and one that waits.
    let work = Task { await pool.perform(WorkOrder("test-hang", limits: WorkLimits(seconds: 600))) }
    while pool.busy < 1 { try? await Task.sleep(for: .milliseconds(5)) }
    print(pool.processes.map { "\($0)" }.joined(separator: " "))
    fflush(nil)
    _ = await work.value
    return 0
  }
}
