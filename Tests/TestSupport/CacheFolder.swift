internal import FrostglassCore
internal import Glibc
internal import Synchronization

/// A cache directory for one test, removed when all tests are done: backends may write to it for
/// longer than a test mentions it.
package struct CacheFolder: Sendable {
  package let path: String

  private static let paths: Mutex<[String]> = {
    atexit { CacheFolder.removeAll() }
    return Mutex([])
  }()

  package init() {
    let path = "/tmp/frostglass-cache-\(UInt64.random(in: 0 ... .max))"
    CacheFolder.paths.withLock { $0.append(path) }
    self.path = path
  }

  private static func removeAll() {
    for path in paths.withLock({ $0 }) { remove(path) }
  }

  private static func remove(_ path: String) {
    guard unlink(path) != 0, let names = try? namesOfFiles(in: path) else { return }
    for name in names { remove("\(path)/\(name)") }
    rmdir(path)
  }
}
