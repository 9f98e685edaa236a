import FrostglassGL
import Glibc
import Synchronization

/// A cache directory for one test, removed when all tests are done: backends may write to it for
/// longer than a test mentions it.
struct CacheFolder {
  let path: String

  private static let paths: Mutex<[String]> = {
    atexit { CacheFolder.removeAll() }
    return Mutex([])
  }()

  init() {
    let path = "/tmp/frostglass-cache-\(UInt64.random(in: 0 ... .max))"
    CacheFolder.paths.withLock { $0.append(path) }
    self.path = path
  }

  private static func removeAll() {
    for path in paths.withLock({ $0 }) {
      for folder in [path + "/programs", path + "/devices", path] {
        let directory = CacheDirectory(folder)
        for entry in directory.entries { directory.remove(entry.name) }
        rmdir(folder)
      }
    }
  }

  var directory: CacheDirectory { CacheDirectory(path) }
  var programs: CacheDirectory { directory.folder("programs") }

  /// The names and contents of the programs that are kept.
  var files: [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for entry in programs.entries { files[entry.name] = programs.read(entry.name, atMost: 1 << 24) }
    return files
  }
}
