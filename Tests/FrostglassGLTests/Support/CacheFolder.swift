import FrostglassGL
import Glibc

/// A cache directory for one test, gone with it.
final class CacheFolder {
  let path: String

  init() {
    path = "/tmp/frostglass-cache-\(UInt64.random(in: 0 ... .max))"
  }

  deinit {
    for folder in [path + "/programs", path + "/devices", path] {
      let directory = CacheDirectory(folder)
      for entry in directory.entries { directory.remove(entry.name) }
      rmdir(folder)
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
