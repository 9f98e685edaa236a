internal import Frostglass

extension BenchError {
  /// What the command says and exits with.
  var failure: Failure {
    switch self {
    case .plan(let error): FrostglassError.plan(error).failure
    case .execute(let error): FrostglassError.execute(error).failure
    }
  }
}
