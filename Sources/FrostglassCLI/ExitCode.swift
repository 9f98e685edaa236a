package import Frostglass
internal import FrostglassOptions

/// The exit codes of the command, as in sysexits(3).
package enum ExitCode {
  /// What was asked for is done.
  package static let done: Int32 = 0
  /// `compare` found more difference than tolerated.
  package static let different: Int32 = 1
  /// The words on the command line are wrong.
  package static let usage: Int32 = 64
  /// The input is not a picture that can be used.
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
