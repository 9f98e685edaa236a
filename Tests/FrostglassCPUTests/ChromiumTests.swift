import FrostglassCPU
import FrostglassCore
import FrostglassStills
import TestSupport
import Testing

/// Filter texts give what a browser showed: Tests/Fixtures/Chromium holds its images.
///
/// Only color functions: a browser's blur is an approximation of its own.
@Suite struct ChromiumTests {
  struct Case: CustomStringConvertible {
    var name: String
    var text: String

    var description: String { text }
  }

  static let folder = "\(Files.root)/Tests/Fixtures/Chromium"

  static let cases = (Files.text(of: "\(folder)/cases.txt") ?? "").split(separator: "\n").map {
    let parts = $0.split(separator: "\t", maxSplits: 1).map { String($0) }
    return Case(name: parts[0], text: parts.count > 1 ? parts[1] : "")
  }

  static func load(_ name: String) throws -> Image {
    try StillDecoder().decode(.file("\(folder)/\(name).png")).image
  }

  @Test func thereAreCasesForAllColorFunctions() {
    let names = Catalog.filters.map { $0.name }
    let all = Self.cases.map(\.text).joined(separator: " ")
    for name in [
      "brightness", "contrast", "grayscale", "hue-rotate", "invert", "opacity", "saturate", "sepia",
    ] {
      #expect(names.contains(name) && all.contains("\(name)("), "\(name)")
    }
    #expect(Files.names(in: Self.folder).count == Self.cases.count + 3)
  }

  @Test(arguments: cases)
  func isWhatTheBrowserShowed(_ item: Case) async throws {
    let picture = try Self.load("picture")
    let plan = try FilterChain(text: item.text).plan(for: Plan.Input(picture))
      .storing(as: .rgba8)
    let shown = try Self.load(item.name)
    for backend: any Backend in [ReferenceBackend(), FastBackend(threads: 2)] {
      let result = try await backend.execute(plan, [picture])
      try expectClose(result, shown, within: 1, "chromium \(item.name)")
    }
  }
}
