import FrostglassCore
import TestSupport
import Testing

/// The same word everywhere, and nothing written down twice.
struct StructureTests {
  /// A pass's name is the name of its files; the four that every blur is made of stand with `Pass`.
  ///
  /// Generated pictures have no shader: all backends take the core's samples.
  @Test(arguments: Pass.names)
  func everyPassHasItsFiles(name: String) {
    let shader = name.reduce(into: "") { text, letter in
      if letter.isUppercase && !text.isEmpty { text += "_" }
      text += letter.lowercased()
    }
    let passes = "\(Files.root)/Sources/FrostglassCore/Passes"
    let isBasic = ["Load", "Resample", "Convolve", "Store"].contains(name)
    let numbers = Files.text(of: "\(passes)/\(isBasic ? "Pass" : name).swift")
    #expect(numbers?.contains("struct \(name): Sendable, Hashable {") == true, "\(name)")
    for path in [
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

  /// What `import Frostglass` brings.
  private static let exported = ["FrostglassCore", "FrostglassStills", "FrostglassBackends"]
  /// What other programs may import besides.
  private static let optional = ["FrostglassScenes", "FrostglassCPU", "FrostglassGL"]

  /// Who imports the library is not shown its insides: `scripts/public-face.py` lists what is seen.
  @Test func aLimitedNumberOfTypesIsInSight() throws {
    let exports = try #require(Files.text(of: "\(Files.root)/Sources/Frostglass/Exports.swift"))
    let modules = exports.matches(of: #/@_exported public import (\w+)/#).map { String($0.1) }
    #expect(Set(modules) == Set(Self.exported))
    let types = try (["Frostglass"] + Self.exported).flatMap { try Self.publicTypes(of: $0) }
    let outer = types.filter { !$0.isNested }
    #expect((80...120).contains(outer.count), "\(outer.count): \(outer.map(\.name))")
    #expect(types.count <= 170, "\(types.count)")
  }

  /// Names that other modules have too, or that say nothing without their module's name.
  @Test func noPublicNameIsEverybodys() throws {
    let taken: Set = [
      "Action", "Actor", "Axis", "Box", "Context", "Controller", "Depth", "Event", "Item", "Layout",
      "Node", "Options", "Parameter", "Precision", "Quality", "Resolution", "Result", "Slot",
      "Source", "Stage", "State", "Step", "Style", "Task", "Transfer", "Value", "View",
    ]
    let modules = ["Frostglass"] + Self.exported + Self.optional
    let names = try modules.flatMap { try Self.publicTypes(of: $0) }
      .filter { !$0.isNested }.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(taken.isDisjoint(with: names), "\(taken.intersection(names))")
  }

  /// A tuple cannot conform to anything, and says nothing in documentation.
  @Test func noPublicTuples() throws {
    var declarations = 0
    for module in ["Frostglass"] + Self.exported + Self.optional {
      for declaration in try Self.publicDeclarations(of: module) {
        declarations += 1
        let type =
          declaration.firstMatch(of: #/\b(?:var|let) \w+: (.*)/#)?.1
          ?? declaration.firstMatch(of: #/.*-> (.*)/#)?.1 ?? ""
        let isTuple =
          type.prefixMatch(of: #/\[?\([^()]*,[^()]*\)/#) != nil && !type.contains("->")
        #expect(!isTuple, "\(declaration)")
      }
    }
    #expect(declarations > 500)
  }

  private static func publicTypes(
    of module: String
  ) throws -> [(name: String, isNested: Bool)] {
    try sources(of: module).flatMap { text in
      text.matches(
        of: #/(?m)^( *)public (?:final |indirect )?(?:struct|class|enum|protocol|actor) (\w+)/#
      ).map { (String($0.2), !$0.1.isEmpty) }
    }
  }

  /// Each up to where its body or its value begins, in one line.
  private static func publicDeclarations(of module: String) throws -> [String] {
    try sources(of: module).flatMap { text in
      text.matches(of: #/(?m)^ *public (?!import)[^{=]*/#).map { match in
        match.0.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      }
    }
  }

  private static func sources(of module: String) throws -> [String] {
    let paths = Files.paths(below: "\(Files.root)/Sources/\(module)", ending: ".swift")
    #expect(!paths.isEmpty, "\(module)")
    return try paths.map { try #require(Files.text(of: $0)) }
  }
}
