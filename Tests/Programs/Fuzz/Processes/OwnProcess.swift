import Glibc

/// This program, started again with other arguments, so that what it does there may crash.
package struct OwnProcess: Sendable {
  /// The way a process ended.
  package enum End: Sendable, Hashable, CustomStringConvertible {
    /// It returned this code.
    case code(Int32)
    /// It was ended by a signal of this number.
    case signal(Int32)

    package var description: String {
      switch self {
      case .code(let code): "code \(code)"
      case .signal(let signal): "signal \(signal)"
      }
    }
  }

  /// The system would not start a process.
  package struct NotStarted: Error, CustomStringConvertible {
    /// The error number, as in `errno`.
    package var code: Int32

    package var description: String {
      "no process can be started: \(String(cString: strerror(code)))"
    }
  }

  private let process: pid_t

  /// Starts it. Whoever does waits for its end, with `wait()` or `end()`.
  ///
  /// - Parameters:
  ///   - arguments: without the program's name.
  ///   - output: a file that is written anew with what it prints; `nil` leaves that where this
  ///     program's goes.
  ///   - errors: the same for what it says about errors.
  /// - Throws: `NotStarted` when the system refuses.
  package init(
    _ arguments: [String], output: String? = nil, errors: String? = nil
  ) throws(NotStarted) {
    var words: [UnsafeMutablePointer<CChar>?] = ([CommandLine.arguments[0]] + arguments).map {
      strdup($0)
    }
    words.append(nil)
    defer { for word in words { free(word) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (descriptor, path) in [(STDOUT_FILENO, output), (STDERR_FILENO, errors)] {
      guard let path else { continue }
      posix_spawn_file_actions_addopen(
        &actions, descriptor, path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    }
    var process = pid_t()
    let refusal = posix_spawn(&process, "/proc/self/exe", &actions, nil, &words, environ)
    guard refusal == 0 else { throw NotStarted(code: refusal) }
    self.process = process
  }

  /// Waits for its end. Only once: then its number may be another's.
  package func wait() -> End {
    while true {
      if let end = end(0) { return end }
    }
  }

  /// Returns its end; `nil` while it runs. Must not be called again after it ended.
  package func end() -> End? { end(WNOHANG) }

  /// Ends it at once; its end is still to be waited for.
  package func kill() { _ = Glibc.kill(process, SIGKILL) }

  private func end(_ options: Int32) -> End? {
    var status: Int32 = 0
    guard waitpid(process, &status, options) == process else {
      precondition(errno != ECHILD, "the end was asked for twice")
      return nil
    }
    let signal = status & 0x7F
    return signal == 0 ? .code(status >> 8 & 0xFF) : .signal(signal)
  }
}
