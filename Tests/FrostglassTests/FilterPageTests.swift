import Foundation
import Frostglass
import FrostglassCore
import TestSupport
import Testing

/// The page docs/use/filters.md. `make filters` makes it and its images anew.
@Suite struct FilterPageTests {
  static let filters = Catalog.filters.map { $0.info }
  private static let folder = "\(Files.root)/docs/use/filters"

  @Test func thePageIsCurrent() throws {
    let page = try #require(Files.text(of: "\(Files.root)/docs/use/filters.md"))
    // Not shown in full: a first line that differs says enough.
    let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
    let wanted = (Catalog.page + "\n").split(separator: "\n", omittingEmptySubsequences: false)
    let difference = zip(lines, wanted).first { $0 != $1 }
    #expect(difference == nil, "docs/use/filters.md is not the catalog's page; run `make filters`")
    #expect(lines.count == wanted.count, "docs/use/filters.md is out of date; run `make filters`")
  }

  /// The page has each table as the filters' constants make it, and no other.
  @Test func theNumbersOfDefinitionsAreCurrent() throws {
    let page = try #require(Files.text(of: Self.definitions))
    for numbers in FilterNumbers.all {
      #expect(page.contains(numbers.block), "\(numbers.name) is out of date; run `make filters`")
    }
    #expect(page.components(separatedBy: "<!-- numbers: ").count == FilterNumbers.all.count + 1)
  }

  private static let definitions = "\(Files.root)/docs/contribute/filter-definitions.md"

  /// A heading or the first cell of a row.
  @Test(arguments: filters) func everyFilterIsDefined(_ filter: FilterInfo) throws {
    let page = try #require(Files.text(of: Self.definitions))
    let places = page.split(separator: "\n").filter { line in
      line.hasPrefix("### ") && line.contains("`\(filter.name)`")
        || line.hasPrefix("| `\(filter.name)` |")
    }
    #expect(!places.isEmpty, "docs/contribute/filter-definitions.md does not define \(filter.name)")
  }

  @Test func everyFilterHasItsImageAndNoOther() {
    let wanted = Self.filters.map { "\($0.name).webp" } + ["original.webp"]
    #expect(Files.names(in: Self.folder) == wanted.sorted(), "run `make filters`")
  }

  @Test(arguments: filters) func theExampleShowsTheFilter(_ filter: FilterInfo) async throws {
    let chain = try FilterChain(text: filter.example)
    let names = chain.filters.map { $0.name }
    #expect(names.contains(filter.name), "\(filter.example)")
    // A filter whose defaults change nothing needs an `example` in its definition.
    // Only what is cut out throws a shadow that can be seen.
    let picture = try Photographs.load(
      filter.name == "drop-shadow" ? "horse.png" : "chelsea.png")
    let result = try await Pipeline(backend: .fast).blur(picture, chain)
    let comparison = try ImageComparison(result, picture)
    #expect(comparison.maximum >= 1, "\(filter.example) does nothing to the photograph")
  }
}
