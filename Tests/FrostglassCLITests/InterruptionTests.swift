import Glibc
import Testing

/// Signals that end a command.
@Suite(.enabled(if: ThreadRefusal.isPossible, "needs a C compiler")) struct InterruptionTests {
  /// Without a thread that handles signals, signals end the command as they end any process.
  @Test(arguments: [SIGINT, SIGTERM]) func signalsEndItWithoutAThreadToHearThem(
    _ signal: Int32
  ) throws {
    let scratch = try Scratch()
    let environment = try ThreadRefusal.environment(in: scratch)
    #expect(mkfifo(scratch / "scene.json", 0o600) == 0)
    let running = try RunningCommand(
      CommandRun.executable, ["scene", "scene.json", "-o", "out.png"], in: scratch.path,
      environment: environment)
    // It waits for a scene that nobody writes.
    let pipe = open(scratch / "scene.json", O_WRONLY)
    running.send(signal)
    close(pipe)
    let run = try running.end()
    #expect(run.signal == signal, "\(run)")
  }
}
