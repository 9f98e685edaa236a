import Glibc

/// One finished run of a program: what it said and how it ended.
struct CommandRun: CustomStringConvertible {
  var exitCode: Int32
  /// What ended it instead of an exit; 0 for none.
  var signal: Int32
  var output: [UInt8]
  var errors: String
  /// Memory it used for the first time, in bytes; at least as much as it ever held at once.
  ///
  /// Its peak is of no use here: the system counts it from what the tests themselves held.
  var memoryTouched: Int

  var text: String { String(decoding: output, as: UTF8.self) }

  var description: String {
    "exit \(exitCode), signal \(signal)\nstdout: \(text.prefix(2000))\nstderr: \(errors)"
  }

  /// Whether the program explained itself in one line with all of `words`, and said nothing else.
  func explains(_ words: [String]) -> Bool {
    output.isEmpty && signal == 0 && errors.hasPrefix("frostglass")
      && errors.filter(\.isNewline).count == 1 && errors.hasSuffix("\n")
      && words.allSatisfy { errors.contains($0) }
  }

  /// The command under test: beside the test bundle, or where a release build leaves it.
  static let executable: String = {
    let places = [own.map { $0 + "/frostglass" }, package + "/.build/release/frostglass"]
    return places.compactMap { $0 }.first { access($0, X_OK) == 0 } ?? "/nowhere/frostglass"
  }()

  /// The folder of the package.
  static let package =
    "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")

  /// The folder of the running test bundle.
  private static var own: String? {
    realpath("/proc/self/exe", nil).map { path in
      defer { free(path) }
      return "/" + String(cString: path).split(separator: "/").dropLast().joined(separator: "/")
    }
  }

  /// Runs a program to its end.
  ///
  /// - Parameters:
  ///   - program: a path, or a name to be found by `PATH`.
  ///   - folder: where it runs.
  ///   - environment: added to the tests' own.
  init(
    _ program: String, _ arguments: [String], in folder: String,
    environment: [String: String] = [:]
  ) throws {
    let output = try Self.unnamedFile()
    let errors = try Self.unnamedFile()
    defer {
      close(output)
      close(errors)
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)

    // env(1) changes the folder and the environment, then becomes the program.
    let settings = environment.map { "\($0)=\($1)" }
    let line = ["env", "-C", folder] + settings + [program] + arguments
    let words = line.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var child = pid_t()
    let failure = posix_spawn(&child, "/usr/bin/env", &actions, nil, words, environ)
    guard failure == 0 else { throw SystemFailure(call: "posix_spawn", code: failure) }

    var status: Int32 = 0
    var usage = rusage()
    while wait4(child, &status, 0, &usage) < 0 {
      guard errno == EINTR else { throw SystemFailure(call: "wait4", code: errno) }
    }
    signal = status & 0x7F
    exitCode = signal == 0 ? status >> 8 & 0xFF : -1
    memoryTouched = usage.ru_minflt * Int(getpagesize())
    self.output = Self.contents(output)
    self.errors = String(decoding: Self.contents(errors), as: UTF8.self)
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

  private static func contents(_ descriptor: Int32) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Int(lseek(descriptor, 0, SEEK_END)))
    let count = pread(descriptor, &bytes, bytes.count, 0)
    return Array(bytes.prefix(max(count, 0)))
  }
}

/// A system call that the tests need did not work.
struct SystemFailure: Error {
  var call: String
  var code: Int32
}
