import Frostglass
import FrostglassCLI
import TestSupport
import Testing

/// Exit codes of errors that come out of the library.
@Suite struct ExitCodeTests {
  @Test func errorsOfThePipelineHaveTheirs() async {
    let recipe = Recipe([.gaussian(sigma: 3)])
    let missing = Job(
      source: .file("/nowhere/at-all.png"), recipe: recipe, sink: .standardOutput)
    await expect(ExitCode.noInput, missing)
    let empty = Job(source: .bytes([]), recipe: recipe, sink: .standardOutput)
    await expect(ExitCode.badData, empty)
    let unknown = Job(
      source: .bytes([1]), recipe: recipe, sink: .file("out.xyz", overwrite: false))
    await expect(ExitCode.usage, unknown)
    let nowhere = Job(
      source: .bytes([1]), recipe: recipe, sink: .file("/nowhere/out.png", overwrite: false))
    await expect(ExitCode.cannotCreate, nowhere)
  }

  /// On the page of the command, and in the help that others point at.
  @Test func eachIsExplained() throws {
    let page = try #require(Files.text(of: "\(Files.root)/docs/use/command.md"))
    let help = try Scratch().run("blur", "--help").text.replacing(/\s+/, with: " ")
    let all = [
      ExitCode.done, ExitCode.usage, ExitCode.badData, ExitCode.noInput, ExitCode.unavailable,
      ExitCode.software, ExitCode.cannotCreate, ExitCode.temporaryFailure,
    ]
    for text in [page, help] {
      let codes = try #require(text.firstMatch(of: /Exit codes: [^.;]+/)).output
      for code in all { #expect(codes.contains(" \(code) "), "\(code) in \(codes)") }
    }
  }

  private func expect(_ code: Int32, _ job: Job) async {
    do throws(FrostglassError) {
      try await Pipeline(backend: .reference).run(job)
      Issue.record("\(job.source) was accepted")
    } catch {
      #expect(error.exitCode == code, "\(error)")
    }
  }
}
