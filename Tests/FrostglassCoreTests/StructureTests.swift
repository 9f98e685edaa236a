import FrostglassCore
import TestSupport
import Testing

/// The same word everywhere, and nothing written down twice.
struct StructureTests {
  /// A pass's name is the name of its files.
  ///
  /// Generated pictures have no shader: all backends take the core's samples.
  @Test(arguments: Pass.names)
  func everyPassHasItsFiles(name: String) {
    let shader = name.reduce(into: "") { text, letter in
      if letter.isUppercase && !text.isEmpty { text += "_" }
      text += letter.lowercased()
    }
    for path in [
      "Sources/FrostglassCore/Passes/\(name).swift",
      "Sources/FrostglassCPU/Reference/\(name)+Reference.swift",
      "Shaders/passes/\(shader).glsl",
    ] where path != "Shaders/passes/generate.glsl" {
      #expect(Files.text(of: "\(Files.root)/\(path)") != nil, "\(path)")
    }
  }

  /// A pass need not have a fast version; what is called one belongs to a pass.
  @Test func everyFastFileIsAPass() {
    let names = Files.names(in: "\(Files.root)/Sources/FrostglassCPU/Fast")
    for ending in ["+Fast.swift", "+FastFloat.swift"] {
      let passes = names.filter { $0.hasSuffix(ending) }.map { String($0.dropLast(ending.count)) }
      #expect(!passes.isEmpty)
      #expect(Set(passes).isSubset(of: Pass.names))
    }
  }

  @Test func everyShaderIsAPass() {
    #expect(Files.names(in: "\(Files.root)/Shaders/passes").count == Pass.names.count - 1)
  }

  /// The core links nothing but the platform's C library.
  @Test func theCoreImportsOnlyGlibc() throws {
    var seen = 0
    for path in Files.paths(below: "\(Files.root)/Sources/FrostglassCore", ending: ".swift") {
      let lines = try #require(Files.text(of: path)).split(separator: "\n")
      for line in lines {
        let words = line.split(separator: " ")
        guard let index = words.firstIndex(of: "import"), index <= 1 else { continue }
        seen += 1
        #expect(words.last == "Glibc", "\(path): \(line)")
      }
    }
    #expect(seen > 0)
  }

  /// Each row of the README's table is the catalog's; `frostglass filters --markdown` prints them.
  @Test func theReadmeSaysNothingFalseAboutFilters() throws {
    let readme = try #require(Files.text(of: "\(Files.root)/README.md"))
    let catalog = Set(Catalog.markdown.split(separator: "\n"))
    let names = Catalog.filters.map { "| `\($0.info.name)` |" }
    let rows = readme.split(separator: "\n").filter { row in
      names.contains { row.hasPrefix($0) }
    }
    #expect(rows.count >= 20)
    for row in rows { #expect(catalog.contains(row), "\(row)") }
  }
}
