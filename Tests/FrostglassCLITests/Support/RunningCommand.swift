import Glibc

/// A program that a test has started.
final class RunningCommand {
  private var child = pid_t()
  private let output: Int32
  private let errors: Int32
  /// True while there is a process that is neither killed nor waited for. Where none was started, its number
  /// is 0, and a signal to that would end the tests themselves.
  private var isRunning = false

  /// A command that stops reading does not end the tests that write to it.
  private static let ignoresBrokenPipes: Void = { _ = signal(SIGPIPE, SIG_IGN) }()

  /// Starts a program; `CommandRun` says with what.
  ///
  /// What it keeps for later, it keeps beside its folder: `Scratch` removes that too.
  init(
    _ program: String, _ arguments: [String], in folder: String, environment: [String: String] = [:]
  ) throws {
    Self.ignoresBrokenPipes
    output = try Self.unnamedFile()
    errors = try Self.unnamedFile()
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    Self.resetSignals(&attributes)

    // env(1) changes the folder and the environment, then becomes the program.
    let settings = environment.map { "\($0)=\($1)" }
    let line = ["env", "-C", folder] + settings + [program] + arguments
    let words = line.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    let failure = posix_spawn(&child, "/usr/bin/env", &actions, &attributes, words, environ)
    guard failure == 0 else { throw SystemFailure(call: "posix_spawn", code: failure) }
    isRunning = true
  }

  deinit {
    if isRunning {
      kill(child, SIGKILL)
      waitpid(child, nil, 0)
    }
    close(output)
    close(errors)
  }

  /// Its standard error until now.
  var errorsSoFar: String {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = pread(errors, &bytes, bytes.count, 0)
    return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
  }

  func send(_ signal: Int32) { if isRunning { kill(child, signal) } }

  /// Waits for the program's end.
  func end() throws -> CommandRun {
    var status: Int32 = 0
    var usage = rusage()
    while wait4(child, &status, 0, &usage) < 0 {
      guard errno == EINTR else { throw SystemFailure(call: "wait4", code: errno) }
    }
    isRunning = false
    return CommandRun(status: status, usage: usage, output: output, errors: errors)
  }

  /// Signals that end programs do so here, also where the tests run in the background and ignore
  /// them.
  private static func resetSignals(_ attributes: inout posix_spawnattr_t) {
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { sigaddset(&signals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK))
  }

  /// A file without a name, closed in children that are not meant to have it.
  private static func unnamedFile() throws -> Int32 {
    var template = Array("/tmp/frostglass-test-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw SystemFailure(call: "mkstemp", code: errno) }
    unlink(template)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    return descriptor
  }
}
