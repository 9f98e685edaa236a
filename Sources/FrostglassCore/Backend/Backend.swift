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

  /// Runs a plan into an image that is there already, for frame after frame without new memory.
  ///
  /// - Parameter result: replaced; its memory is used again where the backend can and it has the
  ///   result's size, format and no gaps between rows.
  func execute(
    _ plan: Plan, _ inputs: [Image], into result: inout Image
  ) async throws(BackendError)

  /// Whether a pixel that two plans make from the same samples with the same numbers has the same
  /// bytes, whatever else the plans do.
  func computesAlike(_ first: Plan, _ second: Plan) -> Bool

  /// Runs a plan, and tells of failures of the device that did not stop it.
  ///
  /// - Parameter tell: called once for each, before this returns or throws.
  func execute(
    _ plan: Plan, _ inputs: [Image], telling tell: @Sendable (Recovery) -> Void
  ) async throws(BackendError) -> Image

  /// Runs the plans for a picture in planes, and tells of failures of the device that did not stop
  /// it.
  ///
  /// - Parameters:
  ///   - picture: of the size and format that they were made for.
  ///   - tell: called once for each, before this returns or throws.
  /// - Returns: a picture of the same size and format.
  func execute(
    _ plan: YCbCrPlan, _ picture: YCbCrPicture, telling tell: @Sendable (Recovery) -> Void
  ) async throws(BackendError) -> YCbCrPicture
}

extension Backend {
  /// Where passes are joined so that what lies between them is not rounded, that follows from which
  /// there are and what reads what.
  public func computesAlike(_ first: Plan, _ second: Plan) -> Bool { first.isBuilt(like: second) }

  public func execute(
    _ plan: Plan, _ inputs: [Image], telling tell: @Sendable (Recovery) -> Void
  ) async throws(BackendError) -> Image {
    try await execute(plan, inputs)
  }

  public func execute(
    _ plan: Plan, _ inputs: [Image], into result: inout Image
  ) async throws(BackendError) {
    result = try await execute(plan, inputs)
  }
}

extension Plan {
  /// Checks that the plan is well formed, so that no step reads what is not there, and that images
  /// are the ones it was made for.
  public func check(_ images: [Image]) throws(BackendError) {
    do throws(PlanError) { try validate(for: .none) } catch {
      throw .failed(backend: "any", what: "\(error)")
    }
    guard images.count == inputs.count else {
      throw .failed(
        backend: "any", what: "\(images.count) images for a plan with \(inputs.count) inputs")
    }
    for (index, (expected, image)) in zip(inputs, images).enumerated() {
      let got = Input(image)
      guard got == expected else {
        throw .inputMismatch(index: index, expected: expected, got: got)
      }
      guard image.bytes.count >= image.neededBytes else {
        throw .failed(
          backend: "any",
          what: "input \(index) has \(image.bytes.count) bytes, it needs \(image.neededBytes)")
      }
    }
  }
}

extension Plan {
  /// Whether the same passes are applied to the same pictures, whatever their numbers.
  package func isBuilt(like other: Plan) -> Bool {
    slots.count == other.slots.count && steps.count == other.steps.count
      && zip(slots, other.slots).allSatisfy {
        $0.layout == $1.layout && $0.precision == $1.precision
      }
      && zip(steps, other.steps).allSatisfy {
        type(of: $0.pass.kind) == type(of: $1.pass.kind) && $0.target == $1.target
          && $0.sources.map(\.slot) == $1.sources.map(\.slot)
      }
  }
}
