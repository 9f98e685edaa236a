import TestSupport
import Testing

/// The table of promises in docs/operate/service.md names tests that there are.
@Suite struct PromiseTests {
  @Test func everyPromiseHasItsTests() throws {
    let page = try #require(Files.text(of: "\(Files.root)/docs/operate/service.md"))
    let section = try #require(page.split(separator: "\n## What is promised\n").last)
    let rows = section.split(separator: "\n").filter { $0.first == "|" }.dropFirst(2)
    #expect(rows.map { $0.split(separator: "|")[0].filter(\.isNumber) } == (1...13).map { "\($0)" })
    let tests = Files.paths(below: "\(Files.root)/Tests", ending: ".swift")
      .compactMap { Files.text(of: $0) }.joined()
    for row in rows {
      // Every second piece is between backticks; suites begin with a capital letter.
      let words = row.split(separator: "`", omittingEmptySubsequences: false).enumerated()
        .filter { $0.offset % 2 == 1 }.map(\.element)
      let names = words.filter { $0.first?.isLowercase == true }
      #expect(!names.isEmpty, "\(row)")
      for name in names { #expect(tests.contains("func \(name)("), "\(name)") }
    }
  }
}
