import Glibc

/// A folder for one test, removed with everything in it at the end.
final class OutputScratch {
  let path: String

  init() {
    var template = Array("/tmp/frostglass-frames-XXXXXX".utf8CString)
    path = mkdtemp(&template).map { String(cString: $0) } ?? "/nowhere"
  }

  deinit { Self.remove(path) }

  static func / (scratch: OutputScratch, name: String) -> String { scratch.path + "/" + name }

  /// Everything in a folder, also what is hidden.
  func names(in folder: String = "") -> [String] { Self.names(path + "/" + folder) }

  private static func names(_ path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var found: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { raw in
        String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { found.append(name) }
    }
    return found.sorted()
  }

  private static func remove(_ path: String) {
    for name in names(path) { remove(path + "/" + name) }
    if rmdir(path) != 0 { unlink(path) }
  }
}
