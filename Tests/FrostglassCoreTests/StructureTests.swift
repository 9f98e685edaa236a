import FrostglassCore
import Glibc
import Testing

/// The same word everywhere: a pass's name is the name of its files.
struct StructureTests {
  static let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

  @Test(arguments: Pass.names)
  func everyPassHasItsFiles(name: String) {
    let shader = name.reduce(into: "") { text, letter in
      if letter.isUppercase && !text.isEmpty { text += "_" }
      text += letter.lowercased()
    }
    for path in [
      "Sources/FrostglassCore/Passes/\(name).swift",
      "Sources/FrostglassCPU/Reference/\(name)+Reference.swift", "Shaders/passes/\(shader).glsl",
    ] {
      #expect(access("\(Self.root)/\(path)", R_OK) == 0, "\(path)")
    }
  }

  /// The core links nothing but the platform's C library.
  @Test func theCoreImportsOnlyGlibc() throws {
    var seen = 0
    for path in swiftFiles(below: "\(Self.root)/Sources/FrostglassCore") {
      let text = try #require(contents(of: path))
      for line in text.split(separator: "\n")
      where line.contains("import ") && !line.hasPrefix("//") {
        guard
          line.hasPrefix("import") || line.hasPrefix("internal import")
            || line.hasPrefix("public import")
        else { continue }
        seen += 1
        #expect(line.hasSuffix("import Glibc"), "\(path): \(line)")
      }
    }
    #expect(seen > 0)
  }

  /// The README's table is the catalog's own; `frostglass filters --markdown` prints it.
  @Test func theReadmeShowsTheWholeCatalog() throws {
    let readme = try #require(contents(of: "\(Self.root)/README.md"))
    #expect(readme.contains(Catalog.markdown))
  }

  private func swiftFiles(below folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var files: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { raw in
        String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasSuffix(".swift") { files.append("\(folder)/\(name)") }
      if !name.contains(".") { files += swiftFiles(below: "\(folder)/\(name)") }
    }
    return files
  }

  private func contents(of path: String) -> String? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = fread(&buffer, 1, buffer.count, file)
      if count == 0 { break }
      bytes += buffer[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
