import FrostglassCore
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

  private static func names(_ path: String) -> [String] { (try? namesOfFiles(in: path)) ?? [] }

  private static func remove(_ path: String) {
    // First: behind a link there may be anything.
    guard unlink(path) != 0 else { return }
    for name in names(path) { remove(path + "/" + name) }
    rmdir(path)
  }
}
