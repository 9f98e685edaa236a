import Foundation
import InputFuzzing
import Testing

/// A slice of `make fuzz-inputs`: the same broken inputs every time.
@Suite struct InputFuzzTests {
  private let scratch = FileManager.default.temporaryDirectory.path + "/frostglass-fuzz-\(UUID())"

  init() throws {
    try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
  }

  @Test(arguments: FuzzKind.allCases)
  func brokenInputsAreErrorsOrValidOnes(kind: FuzzKind) async throws {
    defer { try? FileManager.default.removeItem(atPath: scratch) }
    let fuzzer = try InputFuzzer(folder: scratch)
    #expect(fuzzer.kinds.contains(kind), "there is a sample of every kind")
    var accepted = 0
    let count = kind.isText ? 200 : 40
    for number in 0..<count {
      let input = fuzzer.input(kind, seed: 1, number: number)
      do throws(FuzzFinding) {
        if try await fuzzer.run(kind, input.bytes) == .accepted { accepted += 1 }
      } catch { Issue.record("\(kind) \(number), from \(input.original.name): \(error)") }
    }
    #expect(accepted > 0, "nothing passes: the mutations are too coarse to find anything")
  }

  @Test func whatInputsAreMadeFromIsValid() async throws {
    defer { try? FileManager.default.removeItem(atPath: scratch) }
    let fuzzer = try InputFuzzer(folder: scratch)
    for sample in fuzzer.samples {
      do throws(FuzzFinding) {
        let verdict = try await fuzzer.run(sample.kind, sample.bytes)
        #expect(verdict == .accepted, "\(sample.kind) \(sample.name)")
      } catch { Issue.record("\(sample.kind) \(sample.name): \(error)") }
    }
  }

  @Test func aSeedGivesTheSameInputs() throws {
    defer { try? FileManager.default.removeItem(atPath: scratch) }
    let first = try InputFuzzer(folder: scratch)
    let second = try InputFuzzer(folder: scratch)
    for kind in first.kinds {
      let own = (0..<20).map { first.input(kind, seed: 3, number: $0).bytes }
      #expect(own == (0..<20).map { second.input(kind, seed: 3, number: $0).bytes })
      #expect(own != (0..<20).map { second.input(kind, seed: 4, number: $0).bytes })
    }
  }
}
