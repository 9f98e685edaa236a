internal import Frostglass

/// A subcommand: what it is called, what it takes, what it does.
protocol Command: SendableMetatype {
  static var name: String { get }
  /// One line for the overview.
  static var summary: String { get }
  /// The arguments that are not options, as help shows them.
  static var operands: String { get }
  /// A paragraph below the options in help.
  static var notes: String { get }
  static var options: [Option] { get }

  /// Checks the words, and reads a preset, regions and a mask that they name; touches no other
  /// picture and no GPU.
  init(_ arguments: ParsedArguments) throws(Failure)

  /// - Returns: the exit code.
  func run() async throws(Failure) -> Int32
}

extension Command {
  static var notes: String { "" }
}

/// Why a command ends early: words for the user and the exit code.
struct Failure: Error {
  var message: String
  var exitCode: Int32

  /// Wrong words on the command line.
  static func usage(_ message: String) -> Failure {
    Failure(message: message, exitCode: ExitCode.usage)
  }
}

extension FrostglassError {
  var failure: Failure { Failure(message: words, exitCode: exitCode) }

  /// The description, naming the option that would help where there is one.
  private var words: String {
    switch self {
    case .encode(.exists(let path)):
      "\(path): this file exists already; add --overwrite or give another name"
    case .decode(.tooManyPixels(let name, let size, let limit)):
      "\(name): \(size) pixels are more than the allowed \(limit); give a smaller image or "
        + "--max-pixels \(size.area)"
    case .decode(.tooMuchMemory(let name, let size, let need, let limit)):
      "\(name): \(size) pixels would take about \(ByteCount(need)) of memory here, more than the "
        + "allowed \(ByteCount(limit)); give a smaller image or --memory \(memory(for: need))"
    case .execute(.broken):
      "\(description); --backend auto goes on with the CPU where a GPU fails"
    default: description
    }
  }

  /// The least whole number of GiB, or MiB, as the option takes it.
  private func memory(for need: Int) -> String {
    let (unit, letter) = need > 4 << 30 ? (1 << 30, "G") : (1 << 20, "M")
    return "\((need + unit - 1) / unit)\(letter)"
  }
}
