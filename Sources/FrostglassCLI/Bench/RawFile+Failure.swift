internal import Frostglass
internal import FrostglassBackends

extension RawFile.Failure {
  /// What the command says and exits with.
  var failure: Failure {
    let exitCode =
      switch self {
      case .unreadable: ExitCode.noInput
      case .length: ExitCode.badData
      case .unwritable: ExitCode.cannotCreate
      }
    return Failure(message: description, exitCode: exitCode)
  }
}
