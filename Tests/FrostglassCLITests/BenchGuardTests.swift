import Testing

/// The rows that `make bench` and `make bench-guard` call slower.
@Suite(.enabled(if: RunningService.has("python3"), "needs python3"))
struct BenchGuardTests {
  /// Nothing is measured: the tests in Python hold made-up runs against each other.
  @Test func slowerRowsAreNamedAndNoiseIsNot() throws {
    let scratch = try Scratch()
    let run = try scratch.shell(
      "cd '\(CommandRun.package)/Benchmarks/blurs' && PYTHONDONTWRITEBYTECODE=1 python3 -m unittest test_guard"
    )
    #expect(run.exitCode == 0, "\(run)")
  }
}
