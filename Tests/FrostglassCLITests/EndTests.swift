import Testing

/// Exits of commands that have used a GPU's driver, which shuts down at the same time.
@Suite struct EndTests {
  /// Several at once, so that threads stop for another process at every place there is.
  ///
  /// One exit in a hundred once met a thread that was still leaving the driver.
  @Test(
    arguments: [
      ["doctor"], ["blur", "in.png", "-", "--sigma", "2", "--backend", "gl"],
    ]) func commandsThatUsedADriverEndWell(_ arguments: [String]) throws
  {
    let scratch = try Scratch()
    try scratch.add("in.png", SampleImage.file())
    for _ in 0..<5 {
      let commands = try (0..<3).map { _ in
        try RunningCommand(CommandRun.executable, arguments, in: scratch.path)
      }
      for command in commands {
        let run = try command.end()
        #expect(run.exitCode == 0 && run.errors.isEmpty, "\(run)")
      }
    }
  }
}
