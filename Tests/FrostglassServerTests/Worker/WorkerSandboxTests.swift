import FrostglassConfinement
import FrostglassServer
import Glibc
import Testing

/// Attacks from inside a worker's process: almost nothing is possible.
@Suite struct WorkerSandboxTests {
  /// In the thread that takes orders, and in one that was started before the sandbox.
  @Test(arguments: ["test-attack", "test-attack-on-thread"])
  func nothingCanBeOpenedStartedOrSignaled(_ operation: String) async throws {
    let pool = try CheckedPool()
    let report = await pool.perform(operation).text.split(separator: "\n")
    #expect(report.count >= 20)
    for line in report { #expect(line.hasSuffix(": refused"), "\(line)") }
    #expect(report.contains("open: refused") && report.contains("fork: refused"))
    #expect(pool.ends.isEmpty)
  }

  @Test(
    arguments: [
      "socket", "execve", "ptrace", "vfork", "io_uring", "process_vm_readv", "unshare",
    ])
  func whatOnlyAnAttackerTriesEndsTheProcess(_ call: String) async throws {
    let pool = try CheckedPool()
    #expect(await pool.perform("test-deadly", [call]).status == 500)
    #expect(await pool.until { pool.ends == [.signaled(SIGSYS)] }, "\(pool.events)")
    #expect(await pool.process() != nil)
  }

  /// Libraries ask about what is open, which the same call would do of any path.
  @Test func whatIsOpenIsAskedAbout() async throws {
    let pool = try CheckedPool()
    #expect(await pool.perform("test-deadly", ["fstat"]).text == "returned 0")
    #expect(pool.ends.isEmpty)
  }

  /// Libraries log through them, and cope.
  @Test func unixSocketsAreRefused() async throws {
    let pool = try CheckedPool()
    #expect(await pool.perform("test-deadly", ["unix socket"]).text == "returned -1")
  }

  /// The same attempts succeed in a process without the sandbox; otherwise the tests above would prove nothing.
  @Test func outsideTheSameIsPossible() throws {
    let (process, text) = try WorkerCheckProgram.start("unconfined", lines: 100)
    waitpid(process, nil, 0)
    let report = text.split(separator: "\n")
    for name in [
      "open", "openat", "opendir", "stat", "stat as of what is open", "access", "fork",
      "code in memory",
    ] {
      #expect(report.contains("\(name): done"), "\(text)")
    }
  }

  /// Fonts can be read where that is allowed, and nothing else.
  @Test(.enabled(if: Sandbox.ofKernel.landlock > 0, "needs Landlock"))
  func whoMayReadFontsReadsNothingElse() async throws {
    let pool = try CheckedPool { $0.readable = ["/usr/share/fonts", "/nowhere"] }
    #expect(await pool.perform("test-read", ["/usr/share/fonts"]).text == "opened")
    for path in ["/", "/etc/passwd", "/usr/share", "/usr/share/fonts/../../../etc/passwd", "/proc"]
    {
      #expect(await pool.perform("test-read", [path]).text == "refused", "\(path)")
    }
    let report = await pool.perform("test-attack").text.split(separator: "\n")
    // Whether a file is there, Landlock does not hide.
    let shown: [Substring] = ["stat: done", "stat as of what is open: done", "access: done"]
    for line in report where !shown.contains(line) {
      #expect(line.hasSuffix(": refused"), "\(line)")
    }
  }

  /// A worker that may read nothing cannot read fonts either.
  @Test func whoMayReadNothingReadsNoFonts() async throws {
    let pool = try CheckedPool()
    #expect(await pool.perform("test-read", ["/usr/share/fonts"]).text == "refused")
  }

  @Test func startedChildrenSayWhatWallsTheyHave() async throws {
    let pool = try CheckedPool()
    _ = await pool.process()
    guard case .started(_, let walls)? = pool.events.first else {
      Issue.record("\(pool.events)")
      return
    }
    #expect(walls == Sandbox.ofKernel)
    #expect(walls.seccomp)
  }

  /// Threads that were there before, and those that come after, too.
  @Test func landlockAloneKeepsAllThreadsFromFiles() throws {
    let (process, text) = try WorkerCheckProgram.start("landlock", lines: 1)
    var status: Int32 = 0
    #expect(waitpid(process, &status, 0) == process && status == 0)
    let expected =
      Sandbox.ofKernel.landlock > 0 ? "own false, earlier false, later false\n" : "no Landlock\n"
    #expect(text == expected)
  }

  @Test func missingWallsAreNamed() {
    #expect(
      Sandbox(landlock: 0, seccomp: true).description == "no Landlock, seccomp, resource limits")
    #expect(
      Sandbox(landlock: 7, seccomp: false).description == "Landlock 7, no seccomp, resource limits")
  }
}
