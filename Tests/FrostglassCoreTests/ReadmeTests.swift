import FrostglassCore
import TestSupport
import Testing

/// The README, where it says what the code has.
@Suite struct ReadmeTests {
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
