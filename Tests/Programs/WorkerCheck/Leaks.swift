import FrostglassServer
import Glibc

/// Resources that a pool leaves behind in its parent.
enum Leaks {
  static func check() async -> Int32 {
    // What the first pool of a process opens for good is no leak.
    await work(orders: 2)
    usleep(500_000)
    let descriptors = count()
    await work(orders: 100)
    // A thread that is about to end may still hold the last ones.
    for _ in 0..<1000 where count() > descriptors { usleep(10_000) }
    let left = waitpid(-1, nil, WNOHANG) == -1 && errno == ECHILD ? 0 : 1
    print("\(count() - descriptors) descriptors more, \(left) children more")
    return 0
  }

  /// Every tenth order crashes its child, is given up, or is answered with garbage.
  private static func work(orders: Int) async {
    guard let pool = try? WorkerPool(WorkerPool.Options(count: 2)) else { return }
    for number in 1...orders {
      switch number % 40 {
      case 10: _ = await pool.perform(WorkOrder("test-crash", fields: [Field("value", "abort")]))
      case 20: _ = await pool.perform(WorkOrder("test-hang", limits: WorkLimits(seconds: 0)))
      case 30:
        let bytes = Array("garbage that is long enough".utf8)
        _ = await pool.perform(WorkOrder("test-say", parts: ["bytes": bytes]))
      default: _ = await pool.perform(WorkOrder("test-process"))
      }
    }
    pool.end()
    pool.waitForEnd()
  }

  private static func count() -> Int {
    guard let folder = opendir("/proc/self/fd") else { return -1 }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    return count
  }
}
