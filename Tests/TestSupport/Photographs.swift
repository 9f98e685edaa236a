public import FrostglassCore
import FrostglassStills
import Glibc

/// Real pictures for tests; where they come from is in Tests/Photographs/LICENSES.md.
public enum Photographs {
  /// The folder they lie in.
  public static var folder: String {
    let root = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    return "/\(root)/Photographs"
  }

  /// File names, in order.
  public static let names: [String] = {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { raw in
        String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
      }
      if [".jpg", ".png"].contains(where: { name.hasSuffix($0) }) { names.append(name) }
    }
    return names.sorted()
  }()

  /// Decodes one of them.
  public static func load(_ name: String) throws -> Image {
    try StillDecoder().decode(.file("\(folder)/\(name)")).image
  }
}
