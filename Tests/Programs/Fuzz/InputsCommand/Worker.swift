import Foundation
import InputFuzzing

/// Runs inputs one after another, and says in a file which one it is at, so that whoever started it
/// knows the culprit when it dies.
struct Worker {
  let kind: FuzzKind
  let seed: UInt64
  let numbers: Range<Int>
  /// Two numbers of eight bytes: which input, and how many were accepted; then words of a finding.
  let state: Int32
  let fuzzer: InputFuzzer

  /// - Returns: the exit code.
  func run() async -> Int32 {
    // Sanitizers map more than any such limit.
    if getenv("FROSTGLASS_FUZZ_SANITIZED") == nil {
      var limit = rlimit(rlim_cur: 4 << 30, rlim_max: 4 << 30)
      _ = setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
    }
    var accepted = 0
    for number in numbers {
      note(number, accepted)
      let input = fuzzer.input(kind, seed: seed, number: number)
      do throws(FuzzFinding) {
        if try await fuzzer.run(kind, input.bytes) == .accepted { accepted += 1 }
      } catch {
        Self.tell(error, state)
        return Worker.finding
      }
    }
    note(numbers.upperBound, accepted)
    return 0
  }

  /// The exit code after a finding that is no crash.
  static let finding: Int32 = 77

  private func note(_ number: Int, _ accepted: Int) {
    let words = [Int64(number), Int64(accepted)]
    _ = words.withUnsafeBytes { pwrite(state, $0.baseAddress, $0.count, 0) }
  }

  static func tell(_ finding: FuzzFinding, _ state: Int32) {
    let words = Array(finding.description.utf8)
    _ = words.withUnsafeBytes { pwrite(state, $0.baseAddress, $0.count, 16) }
  }
}
