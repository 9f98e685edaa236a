import Testing

/// What `make bench` and `make bench-guard` call slower.
@Suite(.enabled(if: RunningService.has("python3"), "needs python3"))
struct BenchGuardTests {
  /// Nothing is measured: the tests in Python hold made-up runs against each other.
  @Test func slowerRowsAreNamedAndNoiseIsNot() throws {
    let scratch = try Scratch()
    let run = try scratch.shell(
      "cd '\(CommandRun.package)/Benchmarks' && PYTHONDONTWRITEBYTECODE=1 python3 -m unittest test_guard")
    #expect(run.exitCode == 0, "\(run)")
  }

  /// The page of filters has a row for each: a filter that is added to the catalog needs one.
  @Test func everyFilterHasARow() throws {
    let scratch = try Scratch()
    let run = try scratch.shell(
      """
      cd '\(CommandRun.package)/Benchmarks' && "$frostglass" filters --json | \
      PYTHONDONTWRITEBYTECODE=1 python3 -c 'import catalog, json, sys
      print(*{one["name"] for one in json.load(sys.stdin)} - catalog.filters())'
      """)
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.text == "\n", "\(run)")
  }
}
