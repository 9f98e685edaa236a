import Testing

/// The CPU backend in processes that were forked from one that has used it.
@Suite struct ForkTests {
  @Test func forkedProcessesComputeTheSame() throws {
    let run = try CommandRun(
      CommandRun.built("frostglass-fork-check"), [], in: CommandRun.package)
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.text == "the same in 20 processes\n", "\(run)")
  }
}
