/// Why a backend could not run a plan.
public enum BackendError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The backend does not work on this machine.
  case unavailable(backend: String, reason: String, remedy: String)
  /// An image is not what the plan was made for.
  case inputMismatch(index: Int, expected: Plan.Input, got: Plan.Input)
  /// The plan needs more than the backend has.
  case unsupported(backend: String, what: String)
  /// The backend's device or driver failed, and what the backend did about it did not help. Another
  /// backend can run the plan.
  case broken(backend: String, what: String)
  /// Something that should not happen did; says what.
  case failed(backend: String, what: String)

  public var description: String {
    switch self {
    case .unavailable(let backend, let reason, let remedy):
      "the \(backend) backend is not available: \(reason); \(remedy)"
    case .inputMismatch(let index, let expected, let got):
      "input \(index) is \(got.size) \(got.format) \(got.alpha); the plan was made for "
        + "\(expected.size) \(expected.format) \(expected.alpha)"
    case .unsupported(let backend, let what):
      "the \(backend) backend cannot run this: \(what)"
    case .broken(let backend, let what):
      "the \(backend) backend gave up: \(what)"
    case .failed(let backend, let what):
      "the \(backend) backend failed: \(what)"
    }
  }

  /// What happened, without the backend's name.
  package var reason: String {
    switch self {
    case .unsupported(_, let what), .broken(_, let what), .failed(_, let what): what
    case .unavailable(_, let reason, _): reason
    case .inputMismatch: description
    }
  }

  /// Whether the backend itself does not work, so that other plans will fare no better there.
  package var isOfBackend: Bool {
    switch self {
    case .unavailable, .broken: true
    case .inputMismatch, .unsupported, .failed: false
    }
  }

  /// Whether the same plan and images may well run on another backend.
  public var mayAnotherHelp: Bool {
    switch self {
    case .unavailable, .unsupported, .broken: true
    case .inputMismatch, .failed: false
    }
  }
}
