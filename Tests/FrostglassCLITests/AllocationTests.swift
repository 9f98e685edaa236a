import Testing

/// Allocations while frame after frame is rendered.
@Suite struct AllocationTests {
  @Test func preparedPlansAllocateNothing() throws {
    let run = try CommandRun(
      CommandRun.built("frostglass-allocation-check"), [], in: CommandRun.package)
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.text == "no allocation in any frame\n", "\(run)")
  }
}
