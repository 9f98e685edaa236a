/// Why a scene could not be rendered.
public enum SceneError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Something is wrong with the scene.
  case plan(PlanError)
  /// It could not be computed.
  case backend(BackendError)

  public var description: String {
    switch self {
    case .plan(let error): "\(error)"
    case .backend(let error): "\(error)"
    }
  }
}
