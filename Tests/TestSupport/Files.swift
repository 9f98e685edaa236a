internal import FrostglassCore
internal import Glibc

/// Reading files and folders of the project itself.
package enum Files {
  /// The project's root.
  package static let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

  /// Names in a folder, sorted; none when there is no such folder.
  package static func names(in folder: String) -> [String] {
    ((try? namesOfFiles(in: folder)) ?? []).filter { !$0.hasPrefix(".") }
  }

  /// Paths of all files below a folder whose names end so.
  package static func paths(below folder: String, ending suffix: String) -> [String] {
    names(in: folder).flatMap { name in
      let path = "\(folder)/\(name)"
      return name.hasSuffix(suffix) ? [path] : paths(below: path, ending: suffix)
    }
  }

  /// A file's bytes; `nil` when it cannot be read.
  package static func bytes(of path: String) -> [UInt8]? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = fread(&buffer, 1, buffer.count, file)
      if count == 0 { return bytes }
      bytes += buffer[..<count]
    }
  }

  /// A file's text; `nil` when it cannot be read.
  package static func text(of path: String) -> String? {
    bytes(of: path).map { String(decoding: $0, as: UTF8.self) }
  }
}
