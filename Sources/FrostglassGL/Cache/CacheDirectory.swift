internal import Glibc

/// A folder for what was worked out once and may be lost at any time: programs, measurements.
///
/// Nothing here fails. What cannot be read is worked out again, what cannot be written is not kept.
/// Files appear whole or not at all, however a process ends.
package struct CacheDirectory: Sendable, Hashable {
  /// A file of the folder.
  package struct Entry: Sendable, Hashable {
    package var name: String
    package var bytes: Int
    /// When it was last written or used, in seconds since 1970.
    package var seconds: Int
  }

  /// What the names of unfinished files begin with.
  static let unfinished = ".new-"

  package var path: String

  package init(_ path: String) {
    self.path = path
  }

  /// Where this user's things are kept, or `nil` where nothing is to be.
  ///
  /// `FROSTGLASS_CACHE_DIR` if it is set, and nothing is kept if it is empty; else `frostglass` in
  /// `XDG_CACHE_HOME`, or in `.cache` in `HOME`.
  package static func ofUser(_ environment: (String) -> String?) -> CacheDirectory? {
    if let path = environment("FROSTGLASS_CACHE_DIR") {
      return path.isEmpty ? nil : CacheDirectory(path)
    }
    // A relative one is to be ignored, says the specification.
    if let caches = environment("XDG_CACHE_HOME"), caches.hasPrefix("/") {
      return CacheDirectory(caches + "/frostglass")
    }
    guard let home = environment("HOME"), home.hasPrefix("/") else { return nil }
    return CacheDirectory(home + "/.cache/frostglass")
  }

  /// That of the user whose process this is.
  package static var ofUser: CacheDirectory? {
    ofUser { name in getenv(name).map { String(cString: $0) } }
  }

  /// A folder in this one.
  package func folder(_ name: String) -> CacheDirectory { CacheDirectory("\(path)/\(name)") }

  /// A file's contents; `nil` where there is none, or more than `most` bytes.
  package func read(_ name: String, atMost most: Int) -> [UInt8]? {
    let file = open("\(path)/\(name)", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { close(file) }
    // A folder or a pipe has no end to seek to, or a senseless one.
    let length = Int(lseek(file, 0, SEEK_END))
    guard (0...most).contains(length) else { return nil }
    var bytes = [UInt8](repeating: 0, count: length)
    guard pread(file, &bytes, length, 0) == length else { return nil }
    return bytes
  }

  /// Says that a file was of use, so that it is among the last to go.
  func touch(_ name: String) {
    utimensat(AT_FDCWD, "\(path)/\(name)", nil, 0)
  }

  package func remove(_ name: String) {
    unlink("\(path)/\(name)")
  }

  /// All files, finished or not.
  package var entries: [Entry] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var entries: [Entry] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      var status = stat()
      guard lstat("\(path)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        continue
      }
      entries.append(
        Entry(name: name, bytes: Int(status.st_size), seconds: status.st_mtim.tv_sec))
    }
    return entries
  }
}
