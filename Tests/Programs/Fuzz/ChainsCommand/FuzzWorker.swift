import FrostglassGL
import ChainFuzzing
import Glibc

/// Runs cases in this process.
///
/// What came of each is appended to the report as a line, and before a case its number, so that what
/// ended the process can be told.
struct FuzzWorker {
  private let checks: ChainChecks
  private let scenes: SceneChecks
  private let report: Int32
  /// Every so many cases one is a sequence of scenes.
  private static let betweenScenes: UInt64 = 50
  /// Seconds after which a case counts as one that does not end.
  private static let longest: UInt32 = 120

  init(_ arguments: FuzzArguments, report: String?) async throws {
    let gpus = try await Self.gpus(arguments.gpu)
    checks = ChainChecks(gpus: gpus)
    scenes = SceneChecks(gpus: gpus.prefix(1).map(\.backend))
    self.report = report.map { open($0, O_WRONLY | O_CREAT | O_APPEND, 0o644) } ?? -1
  }

  private static func gpus(_ choice: FuzzArguments.GPUs) async throws -> [ChainChecks.GPU] {
    let setups: [(String, GLOptions, Bool)] =
      switch choice {
      case .none: []
      case .some:
        [
          ("gl fragment", GLOptions(stage: .fragment), false),
          ("gl compute", GLOptions(stage: .compute), true),
        ]
      case .all:
        [GLOptions.Stage.fragment, .compute, .blocked].map { stage in
          ("gl \(stage)", GLOptions(stage: stage), stage == .fragment)
        }
          + [GLOptions.Stage.fragment, .compute].map { stage in
            (
              "gl ES 3.1 minimum, \(stage)",
              GLOptions(stage: stage, restrictToES31Minimum: true), stage == .compute
            )
          }
      }
    var gpus: [ChainChecks.GPU] = []
    for (name, options, tiles) in setups {
      gpus.append(try await ChainChecks.GPU(name: name, options: options, tiles: tiles))
    }
    return gpus
  }

  func run(_ numbers: Range<UInt64>) async throws -> Int32 {
    for number in numbers {
      tell("begin\t\(number)")
      alarm(Self.longest)
      if number % Self.betweenScenes == 0 {
        let finding = await scenes.finding(number)
        tell(finding.map { "found\t\(number)\t\($0)\tscene \(number)" } ?? "scene\t\(number)")
        continue
      }
      switch try await checks.run(ChainCase(number: number)) {
      case .agreed: tell("agreed\t\(number)")
      case .refused: tell("refused\t\(number)")
      case .tooDear: tell("dear\t\(number)")
      case .found(let finding):
        // Making it smaller may take longer than one case.
        alarm(20 * Self.longest)
        let smallest = try await ChainCase(number: number).minimized { candidate in
          if case .found(let other) = try await checks.run(candidate) {
            return other.rule == finding.rule
          }
          return false
        }
        tell("found\t\(number)\t\(finding)\t\(smallest)")
      }
    }
    return 0
  }

  /// - Returns: 0 if every rule holds, otherwise 1.
  func probe(_ line: String) async throws -> Int32 {
    guard let test = ChainCase(line) else {
      throw FuzzArguments.Mistake(description: "the line is no case: \(line)")
    }
    alarm(Self.longest)
    let outcome = try await checks.run(test)
    Line.write("\(test.chainText)\n\(outcome)", to: STDOUT_FILENO)
    if case .found = outcome { return 1 }
    return 0
  }

  private func tell(_ line: String) { Line.write(line, to: report) }
}

/// A line written at once, so that it is there even if the process ends right after.
enum Line {
  static func write(_ line: String, to descriptor: Int32) {
    let bytes = Array((line + "\n").utf8)
    _ = Glibc.write(descriptor, bytes, bytes.count)
  }
}
