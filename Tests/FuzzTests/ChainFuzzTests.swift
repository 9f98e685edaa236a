import FrostglassGL
import ChainFuzzing
import TestSupport
import Testing

/// A part of what `make fuzz` runs, and every case that it found.
@Suite struct ChainFuzzTests {
  /// Cases that once broke a rule, with the rule before each.
  static let kept: [ChainCase] = {
    let text = Files.text(of: "\(Files.root)/Tests/Fixtures/found-chains.txt") ?? ""
    return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap {
      ChainCase(String($0))
    }
  }()

  /// Scenes that once broke a rule: a pixel looked farther than its blur was said to, and was not
  /// computed again.
  private static let keptScenes: [UInt64] = [2_029_350]

  private func gpus() async throws -> [ChainChecks.GPU] {
    [
      try await ChainChecks.GPU(
        name: "gl fragment", options: GLOptions(stage: .fragment), tiles: true),
      try await ChainChecks.GPU(
        name: "gl compute", options: GLOptions(stage: .compute), tiles: false),
    ]
  }

  private func expectAgreement(_ tests: [ChainCase]) async throws -> (agreed: Int, refused: Int) {
    let checks = ChainChecks(gpus: try await gpus())
    var (agreed, refused) = (0, 0)
    for test in tests {
      switch try await checks.run(test) {
      case .agreed: agreed += 1
      case .refused, .tooDear: refused += 1
      case .found(let finding): Issue.record("\(finding)\n\(test)")
      }
    }
    return (agreed, refused)
  }

  @Test func casesDrawnByChanceAgree() async throws {
    let count = try await expectAgreement((1...150).map { ChainCase(number: $0) })
    // What is refused says nothing about the others.
    #expect(count.agreed > 100)
  }

  @Test func whatWasFoundStaysMended() async throws {
    let count = try await expectAgreement(Self.kept)
    #expect(count.agreed == Self.kept.count)
    #expect(!Self.kept.isEmpty)
  }

  @Test func scenesDrawnByChanceAgree() async throws {
    let scenes = SceneChecks()
    for number in Array(900...920) + Self.keptScenes {
      let finding = await scenes.finding(number)
      #expect(finding == nil, "scene \(number)")
    }
  }

  /// A case is read as it was written.
  @Test func casesHaveATextForm() {
    for number in 1...500 as ClosedRange<UInt64> {
      let test = ChainCase(number: number)
      #expect(ChainCase("\(test)") == test)
    }
  }
}
