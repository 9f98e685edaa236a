internal import FrostglassBench
package import Frostglass
internal import FrostglassBackends
package import FrostglassCore
internal import FrostglassOptions
package import FrostglassStills

extension Failure {
  /// The exit code of a command that ends so; where a signal ends it, what a shell sees of that.
  var exitCode: Int32 { Interruption.exitCode ?? kind.exitCode }
}

/// An error of the engine that the command has words and an exit code for.
protocol ErrorWithFailure: Error {
  var failure: Failure { get }
}

extension Failure {
  /// Returns the failure for any error, with a message for the user.
  init(saying error: any Error) {
    self =
      switch error {
      case let failure as Failure: failure
      case let error as any ErrorWithFailure: error.failure
      default: Failure("\(error)", .software)
      }
  }
}

extension DecodeError: ErrorWithFailure {
  var failure: Failure { FrostglassError.decode(self).failure }
}

extension EncodeError: ErrorWithFailure {
  var failure: Failure { FrostglassError.encode(self).failure }
}

extension BackendError: ErrorWithFailure {
  var failure: Failure { FrostglassError.execute(self).failure }
}

extension PlanError: ErrorWithFailure {
  var failure: Failure { FrostglassError.plan(self).failure }
}

extension PresetError: ErrorWithFailure {}
extension RegionsError: ErrorWithFailure {}

extension FrostglassError: ErrorWithFailure {
  var failure: Failure { Failure(words, kind) }

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
    case .encode(.profile(let format)):
      "\(format.name) cannot hold the color profile that --profile keep keeps; leave that "
        + "out to have sRGB, or write \(StillFormat.names("or", except: [.gif, .ppm, .pfm]))"
    case .element(let place, let error): "\(place): \(error.words)"
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

extension RawFile.Failure: ErrorWithFailure {
  /// The failure that the command reports and exits with.
  var failure: Failure {
    let kind: Failure.Kind =
      switch self {
      case .unreadable: .noInput
      case .length: .badData
      case .unwritable: .cannotCreate
      }
    return Failure(description, kind)
  }
}

/// The exit codes of the command, as in sysexits(3).
package enum ExitCode {
  /// The exit code for success.
  package static let done: Int32 = 0
  /// `compare` found more difference than tolerated.
  package static let different: Int32 = 1
  /// The words on the command line are wrong.
  package static let usage: Int32 = 64
  /// The input is not an image that can be used.
  package static let badData: Int32 = 65
  /// The input is not there or may not be read.
  package static let noInput: Int32 = 66
  /// The backend that was asked for is not available.
  package static let unavailable: Int32 = 69
  /// Our fault.
  package static let software: Int32 = 70
  /// The output cannot be written.
  package static let cannotCreate: Int32 = 73
  /// It was stopped, or not done in time.
  package static let temporaryFailure: Int32 = 75
}

extension Failure.Kind {
  /// The exit code that stands for it.
  var exitCode: Int32 {
    switch self {
    case .usage: ExitCode.usage
    case .badData: ExitCode.badData
    case .noInput: ExitCode.noInput
    case .unavailable: ExitCode.unavailable
    case .software: ExitCode.software
    case .cannotCreate: ExitCode.cannotCreate
    case .temporary: ExitCode.temporaryFailure
    }
  }
}

extension FrostglassError {
  /// The exit code of a command that ends with this error.
  package var exitCode: Int32 { kind.exitCode }
}
