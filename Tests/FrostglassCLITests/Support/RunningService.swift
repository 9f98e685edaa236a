import Foundation
import Testing

/// `frostglass serve` in a process of its own.
final class RunningService {
  /// The address that it listens on, as it prints it.
  let address: String
  let scratch: Scratch
  private let command: RunningCommand

  struct NotStarted: Error {
    let errors: String
  }

  /// - Parameter listen: `nil` for a free port of loopback.
  init(
    _ scratch: Scratch, _ arguments: [String] = [], listen: String? = nil,
    environment: [String: String] = [:]
  ) throws {
    self.scratch = scratch
    command = try RunningCommand(
      CommandRun.executable, ["serve", "--listen", listen ?? "127.0.0.1:0"] + arguments,
      in: scratch.path, environment: environment)
    var found: String?
    for _ in 0..<1200 where found == nil {
      usleep(50_000)
      let line = command.errorsSoFar.split(separator: "\n").first { $0.hasPrefix("listening on ") }
      found = line.map { String($0.dropFirst("listening on ".count)) }
    }
    guard let found else { throw NotStarted(errors: command.errorsSoFar) }
    address = found
  }

  /// Its standard error until now.
  var errors: String { command.errorsSoFar }

  /// Asks it with curl, which prints the status behind the body.
  ///
  /// - Returns: the status, 0 where there is none, and the body.
  func curl(_ target: String, _ arguments: [String] = []) throws -> (status: Int, body: [UInt8]) {
    let run = try CommandRun(
      "curl",
      ["-s", "--max-time", "60", "-w", "\n%{http_code}"] + arguments + [address + target],
      in: scratch.path)
    let end = run.output.lastIndex(of: UInt8(ascii: "\n")) ?? 0
    let status = Int(String(decoding: run.output.dropFirst(end + 1), as: UTF8.self)) ?? 0
    return (status, Array(run.output.prefix(end)))
  }

  /// Asks until an answer is as it is to be; `false` where it is not within a minute.
  func waits(_ target: String, until isRight: (String) -> Bool) throws -> Bool {
    for _ in 0..<1200 {
      if isRight(String(decoding: try curl(target).body, as: UTF8.self)) { return true }
      usleep(50_000)
    }
    return false
  }

  func send(_ signal: Int32) { command.send(signal) }

  func end() throws -> CommandRun { try command.end() }

  /// Returns true if these programs are installed.
  static func has(_ programs: String...) -> Bool {
    programs.allSatisfy { program in
      ["/usr/bin", "/bin", "/usr/sbin", "/usr/local/bin"].contains {
        access("\($0)/\(program)", X_OK) == 0
      }
    }
  }
}
