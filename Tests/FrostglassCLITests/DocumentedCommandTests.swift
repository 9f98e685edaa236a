import TestSupport
import Testing

/// Command lines of the documentation, and the linter that looks for what they name.
@Suite(.enabled(if: RunningService.has("python3", "git", "make"), "needs python3, git and make"))
struct DocumentedCommandTests {
  private static func run(_ script: String, _ arguments: [String]) throws -> CommandRun {
    try CommandRun(
      "python3", ["-B", "\(CommandRun.package)/scripts/\(script)"] + arguments,
      in: CommandRun.package)
  }

  /// Each as it is written, in a folder with the files that the pages talk of.
  @Test(.enabled(if: RunningService.has("ffmpeg"), "needs ffmpeg"))
  func commandLinesOfTheDocumentationRun() throws {
    let folder = CommandRun.executable.split(separator: "/").dropLast().joined(separator: "/")
    let run = try Self.run("documented_commands.py", ["/" + folder])
    #expect(run.exitCode == 0, "\(run)")
  }

  @Test(arguments: [
    ("[a link](nowhere.md)", "the link nowhere.md leads nowhere"),
    ("[a heading](#of-another-page)", "there is no such heading"),
    ("`scripts/nothing.sh` does it", "there is no scripts/nothing.sh"),
    ("`make nonsense` does it", "there is no target make nonsense"),
  ])
  func whatIsNotThereIsFound(_ text: String, _ fault: String) throws {
    let scratch = try Scratch()
    try scratch.add("page.md", Array("# A page\n\n\(text)\n".utf8))
    let run = try Self.run("inventory", ["--page", scratch / "page.md"])
    #expect(run.exitCode == 1 && run.errors.contains(fault), "\(run)")
  }
}
