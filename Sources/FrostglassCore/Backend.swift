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

/// A failure of a backend's device or driver that did not stop a job, and what was done about it.
public struct Recovery: Sendable, Hashable, CustomStringConvertible {
  /// How the job went on.
  public enum Remedy: Sendable, Hashable, CustomStringConvertible {
    /// On the same device, with everything made anew.
    case freshContext
    /// Once more as before, after memory that was kept for later jobs was given back.
    case freedMemory
    /// In parts of at most this side, with at most so many bytes of textures; later jobs
    /// too, those with more bytes again after a while.
    case smallerTiles(side: Int, bytes: Int)
    /// In another of the GPU's stages, `fragment` or `compute`; later jobs too.
    case otherStage(String)
    /// With intermediate pictures in integers, which hold the same bits; later jobs too.
    case integerTextures
    /// On another device, of those that share the work.
    case otherDevice
    /// On another backend, of this name.
    case otherBackend(String)

    public var description: String {
      switch self {
      case .freshContext: "went on in a fresh context"
      case .freedMemory: "gave back the memory that was kept for later, and went on"
      case .smallerTiles(let side, let bytes):
        "went on in parts of at most \(side) pixels per side and \(bytes) bytes"
      case .otherStage(let stage): "went on in \(stage) shaders"
      case .integerTextures: "went on with integer textures"
      case .otherDevice: "another device did the job"
      case .otherBackend(let name): "the \(name) backend did the job"
      }
    }
  }

  /// The backend that failed.
  public var backend: String
  /// What happened.
  public var failure: String
  public var remedy: Remedy

  public init(backend: String, failure: String, remedy: Remedy) {
    self.backend = backend
    self.failure = failure
    self.remedy = remedy
  }

  public var description: String { "\(backend): \(failure); \(remedy)" }
}
