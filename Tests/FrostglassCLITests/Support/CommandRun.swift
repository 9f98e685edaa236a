import Glibc

/// One finished run of a program: what it said and how it ended.
struct CommandRun: CustomStringConvertible {
  var exitCode: Int32
  /// The signal that ended it; 0 for an exit.
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

  /// Returns true if the program printed nothing but a one-line error with all of `words`.
  func explains(_ words: [String]) -> Bool {
    output.isEmpty && signal == 0 && errors.hasPrefix("frostglass")
      && errors.filter(\.isNewline).count == 1 && errors.hasSuffix("\n")
      && words.allSatisfy { errors.contains($0) }
  }

  /// The command under test.
  static let executable = built("frostglass")

  /// A program of the package: beside the test bundle, or where a release build leaves it.
  static func built(_ name: String) -> String {
    let places = [own, package + "/.build/release"].compactMap { $0.map { "\($0)/\(name)" } }
    return places.first { access($0, X_OK) == 0 } ?? "/nowhere/\(name)"
  }

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
  ///   - folder: the working directory.
  ///   - environment: added to the tests' own.
  init(
    _ program: String, _ arguments: [String], in folder: String,
    environment: [String: String] = [:]
  ) throws {
    self = try RunningCommand(program, arguments, in: folder, environment: environment).end()
  }

  /// - Parameters:
  ///   - status: as wait4(2) gives it.
  ///   - output: a descriptor of what it said, as `errors`.
  init(status: Int32, usage: rusage, output: Int32, errors: Int32) {
    signal = status & 0x7F
    exitCode = signal == 0 ? status >> 8 & 0xFF : -1
    memoryTouched = usage.ru_minflt * Int(getpagesize())
    self.output = Self.contents(output)
    self.errors = String(decoding: Self.contents(errors), as: UTF8.self)
  }

  /// All that is in an open file.
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
