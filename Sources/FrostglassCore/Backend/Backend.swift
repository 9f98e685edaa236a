/// Something that runs plans.
///
/// Backends trust `Plan.validate(for:)` and compute nothing that another backend could compute
/// differently: they may fuse passes, work in strips or tiles and choose their instructions.
public protocol Backend: Sendable {
  /// The name the command and messages use.
  var name: String { get }

  /// Runs a plan.
  ///
  /// - Parameter inputs: images that match `plan.inputs`, in order.
  /// - Returns: an image of `plan.result`'s size, format, alpha and transfer.
  func execute(_ plan: Plan, _ inputs: [Image]) async throws(BackendError) -> Image
}

/// Why a backend could not run a plan.
public enum BackendError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The backend does not work on this machine.
  case unavailable(backend: String, reason: String, remedy: String)
  /// An image is not what the plan was made for.
  case inputMismatch(index: Int, expected: Plan.Input, got: Plan.Input)
  /// The plan needs more than the backend has.
  case unsupported(backend: String, what: String)
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
    case .failed(let backend, let what):
      "the \(backend) backend failed: \(what)"
    }
  }
}

extension Plan {
  /// Checks that images are the ones the plan was made for.
  public func check(_ images: [Image]) throws(BackendError) {
    guard images.count == inputs.count else {
      throw .failed(
        backend: "any", what: "\(images.count) images for a plan with \(inputs.count) inputs")
    }
    for (index, (expected, image)) in zip(inputs, images).enumerated() {
      let got = Input(image)
      guard got == expected else {
        throw .inputMismatch(index: index, expected: expected, got: got)
      }
    }
  }
}
