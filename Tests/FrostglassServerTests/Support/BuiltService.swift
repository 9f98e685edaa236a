import Glibc
import TestSupport

/// Programs of the package, as they are built.
enum BuiltProgram {
  /// Beside the test bundle, or where a release build leaves it.
  static func path(_ name: String) -> String {
    let own = realpath("/proc/self/exe", nil).map { path in
      defer { free(path) }
      return "/" + String(cString: path).split(separator: "/").dropLast().joined(separator: "/")
    }
    let places = [own, Files.root + "/.build/release"].compactMap { $0.map { "\($0)/\(name)" } }
    return places.first { access($0, X_OK) == 0 } ?? "/nowhere/\(name)"
  }
}

/// `frostglass serve` in a process of its own, which runs in a folder of its own.
final class BuiltService: @unchecked Sendable {
  let folder: Folder
  let process: pid_t
  private(set) var port = 0
  private var hasEnded = false

  struct NotStarted: Error {
    let said: String
  }

  /// Starts it on a free port of loopback, with two workers and without a log, and waits until it answers.
  ///
  /// - Parameter environment: as `NAME=VALUE`, beside the tests' own.
  static func start(
    _ arguments: [String] = [], environment: [String] = []
  ) async throws -> BuiltService {
    try await onThread { try BuiltService(arguments, environment) }
  }

  private init(_ arguments: [String], _ environment: [String]) throws {
    let folder = try Folder()
    self.folder = folder
    mkdir("\(folder.path)/tmp", 0o755)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_addopen(
        &actions, descriptor, "\(folder.path)/said", O_WRONLY | O_CREAT | O_APPEND, 0o644)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    // env(1) changes folder and environment, then becomes the program.
    let words =
      ["env", "-C", folder.path, "TMPDIR=\(folder.path)/tmp", "HOME=\(folder.path)/tmp"]
      + ["XDG_CACHE_HOME=\(folder.path)/tmp"] + environment + [
        BuiltProgram.path("frostglass"), "serve",
      ]
      + ["--listen", "127.0.0.1:0", "--workers", "2", "--log", "none"] + arguments
    let copies = words.map { strdup($0) } + [nil]
    defer { for copy in copies { free(copy) } }
    var process = pid_t()
    let refusal = posix_spawn(&process, "/usr/bin/env", &actions, &attributes, copies, environ)
    guard refusal == 0 else { throw SystemFailure(code: refusal) }
    self.process = process
    for _ in 0..<2400 where port == 0 && !ProcessState.isGone(process) {
      usleep(50_000)
      let line = said.split(separator: "\n").first { $0.hasPrefix("listening on http://") }
      port = line?.split(separator: ":").last.flatMap { Int($0) } ?? 0
    }
    guard port > 0 else { throw NotStarted(said: said) }
  }

  deinit {
    guard !hasEnded else { return }
    kill(process, SIGKILL)
    waitpid(process, nil, 0)
  }

  /// Its standard output and standard error.
  var said: String { Files.text(of: "\(folder.path)/said") ?? "" }

  /// Its child processes.
  var children: [pid_t] {
    Files.names(in: "/proc").compactMap { pid_t($0) }.filter { child in
      // The state and the parent follow the name, which is in parentheses.
      let text = Files.text(of: "/proc/\(child)/stat") ?? ""
      let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
      return fields.count > 1 && fields[1] == "\(process)"
    }
  }

  /// Sends a signal and waits for the end.
  ///
  /// - Returns: as waitpid(2) gives it; 0 for an exit with 0.
  func end(_ signal: Int32 = SIGTERM) async throws -> Int32 {
    kill(process, signal)
    hasEnded = true
    return try await onThread { [process] in
      var status: Int32 = -1
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
      return status
    }
  }

  /// Sends bytes on a connection of its own, and reads an answer.
  func ask(_ bytes: [UInt8]) async throws -> RawClient.Reply {
    try await onThread { [port] in
      let client = try RawClient(port: port)
      client.send(bytes)
      return try client.reply()
    }
  }

  func get(_ target: String) async throws -> RawClient.Reply {
    try await ask(Array("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
  }
}
