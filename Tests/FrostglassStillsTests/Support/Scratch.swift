import FrostglassCore
import Glibc

/// A folder for one test, removed with everything in it at the end.
final class Scratch {
  let path: String

  init() {
    var template = Array("/tmp/frostglass-test-XXXXXX".utf8CString)
    path = mkdtemp(&template).map { String(cString: $0) } ?? "/nowhere"
  }

  deinit {
    for name in names { unlink(self / name) }
    rmdir(path)
  }

  static func / (scratch: Scratch, name: String) -> String { scratch.path + "/" + name }

  /// Everything in the folder, sorted.
  var names: [String] { Self.names(in: path) }

  static func names(in path: String) -> [String] { (try? namesOfFiles(in: path)) ?? [] }

  /// Makes a file and gives its path.
  @discardableResult
  func add(_ name: String, _ bytes: [UInt8]) -> String {
    let path = self / name
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    close(descriptor)
    return path
  }

  /// The contents of a file; empty where there is none.
  static func contents(_ path: String) -> [UInt8] {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    return rest(of: descriptor)
  }

  /// Reads a descriptor to its end.
  static func rest(of descriptor: Int32) -> [UInt8] {
    var result: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = read(descriptor, &part, part.count)
      guard count > 0 else { return result }
      result += part.prefix(count)
    }
  }
}
