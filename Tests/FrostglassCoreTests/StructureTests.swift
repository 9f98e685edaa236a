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
    let ending = "+Fast.swift"
    let passes = names.filter { $0.hasSuffix(ending) }.map { String($0.dropLast(ending.count)) }
    #expect(!passes.isEmpty)
    #expect(Set(passes).isSubset(of: Pass.names))
  }

  @Test func everyShaderIsAPass() {
    #expect(Files.names(in: "\(Files.root)/Shaders/passes").count == Pass.names.count - 1)
  }

  /// The core links nothing but the platform's C library and Swift's own.
  @Test func theCoreImportsOnlyThePlatform() throws {
    var seen = 0
    for path in Files.paths(below: "\(Files.root)/Sources/FrostglassCore", ending: ".swift") {
      let lines = try #require(Files.text(of: path)).split(separator: "\n")
      for line in lines {
        let words = line.split(separator: " ")
        guard let index = words.firstIndex(of: "import"), index <= 1 else { continue }
        seen += 1
        #expect(["Glibc", "Synchronization"].contains(words.last), "\(path): \(line)")
      }
    }
    #expect(seen > 0)
  }

  /// The README's table of families names every filter once, and nothing else.
  @Test func theReadmeNamesEveryFilter() throws {
    let readme = try #require(Files.text(of: "\(Files.root)/README.md"))
    let table = try #require(readme.firstRange(of: "| family | filters |\n|---|---|\n"))
    let rows = readme[table.upperBound...].split(separator: "\n", omittingEmptySubsequences: false)
      .prefix { $0.hasPrefix("|") }
    let named = rows.flatMap { row in
      row.split(separator: "`", omittingEmptySubsequences: false).enumerated()
        .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }
    #expect(named.sorted() == Catalog.filters.map { $0.name }.sorted())
  }
}
