import Foundation
import Glibc
import Testing

/// Compiled programs that the command keeps from one start to the next.
@Suite struct CacheTests {
  private static let arguments = [
    "blur", "in.png", "out.png", "--overwrite", "--backend", "gl", "-v", "--filter",
    "gaussian(3px) saturate(140%) gaussian(12px) grain(0.02)",
  ]

  private func scratch() throws -> Scratch {
    let scratch = try Scratch()
    try scratch.add("in.png", SamplePicture.file())
    return scratch
  }

  /// What `--verbose` says of programs.
  private func counts(_ run: CommandRun) throws -> (compiled: Int, loaded: Int) {
    let match = try #require(run.errors.firstMatch(of: /programs +(\d+) compiled, (\d+) loaded/))
    return (Int(match.1) ?? -1, Int(match.2) ?? -1)
  }

  @Test func theSecondStartCompilesNothing() throws {
    let scratch = try scratch()
    let first = try counts(try scratch.run(Self.arguments))
    #expect(first.compiled > 0 && first.loaded == 0)
    let bytes = try scratch.contents("out.png")
    let second = try counts(try scratch.run(Self.arguments))
    #expect(second.compiled == 0 && second.loaded == first.compiled)
    #expect(try scratch.contents("out.png") == bytes)
    let doctor = try scratch.run("doctor")
    #expect(doctor.text.contains("\(first.compiled) compiled programs"), "\(doctor)")
  }

  @Test func nothingIsKeptWhereNothingIsTo() throws {
    let scratch = try scratch()
    for cache in ["", "/proc/nowhere", "/dev/null"] {
      let run = try scratch.run(Self.arguments, environment: ["FROSTGLASS_CACHE_DIR": cache])
      #expect(run.exitCode == 0, "\(run)")
      #expect(try counts(run).compiled > 0 && !run.errors.contains("stored"), "\(run)")
    }
    #expect(!FileManager.default.fileExists(atPath: scratch.cache))
  }

  /// Waits until a program is there, beside those that were damaged.
  private func isWritten(in folder: String) -> Bool {
    for _ in 0..<120_000 {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      let isThere = names.contains { name in
        var status = stat()
        return stat(folder + "/" + name, &status) == 0 && status.st_size > 99
      }
      if isThere { return true }
      usleep(500)
    }
    return false
  }

  /// Killed while it writes, the command leaves whole files or none, and the next start works.
  ///
  /// `FROSTGLASS_TEST_KILLS` says how often, for a longer trial.
  @Test func aKillBreaksNoLaterStart() throws {
    let rounds = getenv("FROSTGLASS_TEST_KILLS").flatMap { Int(String(cString: $0)) } ?? 8
    let scratch = try scratch()
    let expected = try scratch.run(Self.arguments)
    let bytes = try scratch.contents("out.png")
    let programs = scratch.cache + "/programs"
    let kept = try FileManager.default.contentsOfDirectory(atPath: programs).sorted()
    for round in 0..<rounds {
      // Every other round begins with nothing, the others with damaged entries.
      for name in try FileManager.default.contentsOfDirectory(atPath: programs) {
        let path = programs + "/" + name
        if round % 2 == 0 { unlink(path) } else { truncate(path, round % 4 == 1 ? 0 : 99) }
      }
      let command = try RunningCommand(CommandRun.executable, Self.arguments, in: scratch.path)
      // How long compiling takes is the machine's affair, so the first file is the sign.
      #expect(isWritten(in: programs), "nothing was written for a minute")
      usleep(UInt32.random(in: 0...20_000))
      command.send(SIGKILL)
      _ = try command.end()
      let next = try scratch.run(Self.arguments)
      #expect(next.exitCode == 0 && next.signal == 0, "\(next)")
      let counts = try counts(next)
      #expect(counts.compiled + counts.loaded == kept.count, "\(next)")
      #expect(try scratch.contents("out.png") == bytes)
      #expect(try self.counts(try scratch.run(Self.arguments)).compiled == 0)
      let now = try FileManager.default.contentsOfDirectory(atPath: programs)
      #expect(now.filter { !$0.hasPrefix(".") }.sorted() == kept)
    }
    #expect(expected.exitCode == 0)
  }
}
