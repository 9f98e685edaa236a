import FrostglassGL
import TestSupport

extension CacheFolder {
  var directory: CacheDirectory { CacheDirectory(path) }
  var programs: CacheDirectory { directory.folder("programs") }
  var devices: CacheDirectory { directory.folder("devices") }

  /// The names and contents of the programs that are kept.
  var files: [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for entry in programs.entries { files[entry.name] = programs.read(entry.name, atMost: 1 << 24) }
    return files
  }
}
