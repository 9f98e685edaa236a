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
    guard unlink(path) != 0, let directory = opendir(path) else { return }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { raw in
        String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { remove("\(path)/\(name)") }
    }
    rmdir(path)
  }
}
