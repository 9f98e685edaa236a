public import FrostglassCore

/// The backend that defines what a plan computes: float, one readable function per pass.
public struct ReferenceBackend: Backend {
  public let name = "reference"

  public init() {}

  /// Runs the whole plan at once, on one core.
  public func execute(_ plan: Plan, _ inputs: [Image]) async throws(BackendError) -> Image {
    try plan.check(inputs)
    guard let image = ReferenceKernels.run(plan, inputs) else {
      throw .failed(backend: name, what: "the plan has no result; was it validated?")
    }
    return image
  }

  /// Every pass is computed by itself.
  public func computesAlike(_ first: Plan, _ second: Plan) -> Bool { true }
}
