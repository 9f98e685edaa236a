internal import Synchronization

/// An engine that runs plans.
///
/// Backends trust `Plan.validate(for:)` and compute nothing that another backend could compute
/// differently: they may fuse passes, work in strips or tiles and choose their instructions.
public protocol Backend: Sendable {
  /// The name in options and messages.
  var name: String { get }

  /// Runs a plan on any kind of input and output; every other run is built on this.
  ///
  /// The caller's thread does none of the work. Canceling the task stops it, see `Cancellation`.
  ///
  /// - Parameter io: checked against the plan; copied if the backend cannot use it directly.
  /// - Throws: `BackendError`; then outputs are undefined, and rows may have been delivered.
  func run(_ plan: Plan, _ io: PixelIO) async throws(BackendError) -> RunReport

  /// Prepares a plan for many frames.
  ///
  /// - Throws: `BackendError` if it cannot run.
  func prepare(_ plan: Plan) throws(BackendError) -> any PreparedPlan

  /// Prepares the plans of frames in planes for many frames: with an input and an
  /// output for each plane, as `YCbCrPlan.inputs` and `results` describe them.
  ///
  /// - Throws: `BackendError` if they cannot run.
  func prepare(_ plan: YCbCrPlan) throws(BackendError) -> any PreparedPlan

  /// Returns true if a pixel that two plans make from the same samples with the same numbers has the same bytes,
  /// whatever else the plans do.
  func isBitIdentical(_ first: Plan, _ second: Plan) -> Bool

  /// Moves an image that many runs will read to the backend's memory.
  ///
  /// - Returns: `nil` if it is there already, or there is no room.
  func resident(_ image: Image) async -> (any ResidentImage)?

  /// The number of concurrent runs that keep it busy: more than 1 if it transfers one image while it computes
  /// another.
  var framesInFlight: Int { get }

  /// Returns the approximate bytes of a run, without inputs and outputs in memory.
  ///
  /// - Parameter byRows: true if input and result are streamed.
  func memory(for plan: Plan, byRows: Bool) -> Int

  /// Returns true if this plan's input is streamed. Otherwise all rows are collected first.
  func streams(_ plan: Plan) -> Bool
}

extension Backend {
  /// Returns true if both plans have the same passes with the same wiring. Where a backend joins passes, so that
  /// nothing between them is rounded, only these decide which it joins.
  public func isBitIdentical(_ first: Plan, _ second: Plan) -> Bool { first.isBuilt(like: second) }

  /// Images in memory are read there.
  public func resident(_ image: Image) async -> (any ResidentImage)? { nil }

  /// One frame at a time.
  public var framesInFlight: Int { 1 }

  /// Images are taken whole.
  public func streams(_ plan: Plan) -> Bool { false }

  /// Returns the bytes of the plan with whole images.
  public func memory(for plan: Plan, byRows: Bool) -> Int {
    max(plan.wholeMemory, plan.resultBytes) + (byRows ? plan.inputBytes + plan.resultBytes : 0)
  }

  /// Runs a plan with one result on images.
  ///
  /// - Parameters:
  ///   - inputs: images that match `plan.inputs`, in order.
  ///   - recovered: called for each recovered device failure, before this returns or throws.
  /// - Returns: an image of `plan.result`'s size, format, alpha and transfer.
  public func execute(
    _ plan: Plan, _ inputs: [Image],
    recovered: (@Sendable (Recovery) -> Void)? = nil
  ) async throws(BackendError) -> Image {
    try await image(of: plan, inputs, ImageOutput(), recovered)
  }

  /// Runs a plan with several results on images.
  ///
  /// - Parameter inputs: images that match `plan.inputs`, in order.
  /// - Returns: images of `plan.results`' sizes, formats, alpha and transfers, in order.
  public func executeAll(_ plan: Plan, _ inputs: [Image]) async throws(BackendError) -> [Image] {
    let outputs = plan.results.map { _ in ImageOutput() }
    _ = try await run(plan, PixelIO(inputs.map { .image($0) }, to: outputs.map { .image($0) }))
    return outputs.compactMap { $0.take() }
  }

  /// Runs a plan into an existing image, to reuse its memory for many frames.
  ///
  /// - Parameter result: replaced; its memory is reused if it has the result's size and format.
  ///   If the run fails it is black, in new memory.
  public func execute(
    _ plan: Plan, _ inputs: [Image], into result: inout Image
  ) async throws(BackendError) {
    let description = Plan.Input(result)
    let output = ImageOutput(reusing: result)
    result.bytes = []
    do { result = try await image(of: plan, inputs, output, nil) } catch {
      result = Image(zeros: description)
      throw error
    }
  }

  private func image(
    of plan: Plan, _ inputs: [Image], _ output: ImageOutput,
    _ recovered: (@Sendable (Recovery) -> Void)?
  ) async throws(BackendError) -> Image {
    var io = PixelIO(inputs.map { .image($0) }, to: [.image(output)])
    io.recovered = recovered
    _ = try await run(plan, io)
    guard let result = output.take() else {
      throw .failed(backend: name, what: "there is no result")
    }
    return result
  }
}

/// The report of a successful run.
public struct RunReport: Sendable, Hashable {
  /// The name of the backend that computed the result; the last one, if several did.
  public var backend: String
  /// The recovered device failures, in order.
  public var recoveries: [Recovery]

  /// A report of a backend and its recoveries.
  public init(backend: String, recoveries: [Recovery] = []) {
    self.backend = backend
    self.recoveries = recoveries
  }
}

extension Plan {
  /// Bytes of intermediate images in the reference's samples, which are the largest.
  package var wholeMemory: Int {
    inParts().peakBytes { $0.domain.area * $0.layout.channels * MemoryLayout<Float>.size }
  }

  /// Bytes of all input images.
  package var inputBytes: Int { inputs.reduce(0) { $0 + $1.size.area * $1.format.bytesPerPixel } }

  /// Returns true if the same passes are applied to the same images, whatever their numbers.
  package func isBuilt(like other: Plan) -> Bool { inParts().hasSteps(like: other.inParts()) }

  private func hasSteps(like other: Plan) -> Bool {
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

/// An error in running a plan.
public enum BackendError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The backend does not work on this machine.
  case unavailable(backend: String, reason: String, remedy: String)
  /// An image does not match the plan.
  case inputMismatch(index: Int, expected: Plan.Input, got: Plan.Input)
  /// The plan exceeds a limit of the backend.
  case unsupported(backend: String, what: String)
  /// The backend's device or driver failed, and recovery did not help. Another
  /// backend can run the plan.
  case broken(backend: String, what: String)
  /// An internal error, with a description. The backend is `any` if none is at fault:
  /// images, memory or plan are invalid.
  case failed(backend: String, what: String)
  /// Reading or writing rows failed.
  case interrupted(reason: String)
  /// The run was canceled.
  case cancelled
  /// The run exceeded its deadline.
  case deadlineExceeded

  /// A user-facing description.
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
    case .failed(Self.every, let what):
      "no backend can run this: \(what)"
    case .failed(let backend, let what):
      "the \(backend) backend failed: \(what)"
    case .interrupted(let reason): reason
    case .cancelled: "cancelled"
    case .deadlineExceeded: "the time for it is over"
    }
  }

  /// The name in place of a backend's where no backend could run it.
  private static let every = "any"

  /// Returns the error for a run that no backend can do because images, memory or plan are not as they have to be.
  package static func unfit(_ what: String) -> BackendError { .failed(backend: every, what: what) }

  /// Returns the error for a run whose reading or writing of rows threw an error.
  package static func interrupted(
    _ error: any Error, _ cancellation: Cancellation?
  ) -> BackendError {
    if let error = error as? BackendError { return error }
    do { try cancellation?.check() } catch { return error }
    return .interrupted(reason: "\(error)")
  }

  /// A description without the backend's name.
  package var reason: String {
    switch self {
    case .unsupported(_, let what), .broken(_, let what), .failed(_, let what): what
    case .unavailable(_, let reason, _): reason
    case .inputMismatch, .interrupted, .cancelled, .deadlineExceeded: description
    }
  }

  /// True if the backend itself does not work, so that other plans will fail there as well.
  package var isOfBackend: Bool {
    switch self {
    case .unavailable, .broken: true
    case .inputMismatch, .unsupported, .failed, .interrupted, .cancelled, .deadlineExceeded: false
    }
  }

  /// True if the same plan and images may run on another backend.
  public var mayAnotherHelp: Bool {
    switch self {
    case .unavailable, .unsupported, .broken: true
    case .inputMismatch, .failed, .interrupted, .cancelled, .deadlineExceeded: false
    }
  }
}

/// A recovered failure of a backend's device or driver, and its remedy.
public struct Recovery: Sendable, Hashable, CustomStringConvertible {
  /// The remedy that let the job continue.
  public enum Remedy: Sendable, Hashable, CustomStringConvertible {
    /// A new context on the same device.
    case freshContext
    /// A retry after cached memory was freed.
    case freedMemory
    /// Tiles of at most this side, with at most so many bytes of textures; also for later jobs,
    /// which regain the bytes after a while.
    case smallerTiles(side: Int, bytes: Int)
    /// Another of the devices that share the work.
    case otherDevice
    /// Another backend, of this name.
    case otherBackend(String)

    /// A description of the remedy.
    public var description: String {
      switch self {
      case .freshContext: "went on in a fresh context"
      case .freedMemory: "gave back the memory that was kept for later, and went on"
      case .smallerTiles(let side, let bytes):
        "went on in parts of at most \(side) pixels per side and \(bytes) bytes"
      case .otherDevice: "another device did the job"
      case .otherBackend(let name): "the \(name) backend did the job"
      }
    }
  }

  /// The backend that failed.
  public var backend: String
  /// A description of the failure.
  public var failure: String
  /// The remedy.
  public var remedy: Remedy

  /// A failure of `backend`, in words, and what was done about it.
  public init(backend: String, failure: String, remedy: Remedy) {
    self.backend = backend
    self.failure = failure
    self.remedy = remedy
  }

  /// A description of the backend, its failure and the remedy.
  public var description: String { "\(backend): \(failure); \(remedy)" }
}

/// Recoveries of a run, while it goes on.
package final class RecoveryLog: Sendable {
  private let list = Mutex<[Recovery]>([])
  private let tell: (@Sendable (Recovery) -> Void)?

  /// - Parameter tell: told of each, too.
  package init(_ tell: (@Sendable (Recovery) -> Void)? = nil) { self.tell = tell }

  /// In the order in which they happened.
  package var all: [Recovery] { list.withLock { $0 } }

  package func add(_ recovery: Recovery) {
    list.withLock { $0.append(recovery) }
    tell?(recovery)
  }
}

/// A plan that a backend has prepared for many frames, with memory allocated once.
public protocol PreparedPlan: Sendable {
  /// Runs it as `Backend.run(_:_:)` runs a plan, with the same bytes.
  ///
  /// Concurrent runs are serialized if the backend has only one set of rows.
  func run(_ io: PixelIO) async throws(BackendError) -> RunReport

  /// Bytes that it keeps between runs; 0 if none.
  var memory: Int { get }
}

extension PreparedPlan {
  /// None.
  public var memory: Int { 0 }
}

extension Backend {
  /// Run each time as the first time.
  public func prepare(_ plan: Plan) throws(BackendError) -> any PreparedPlan {
    PlanWithBackend(plan: plan, backend: self)
  }
}

private struct PlanWithBackend: PreparedPlan {
  let plan: Plan
  let backend: any Backend

  func run(_ io: PixelIO) async throws(BackendError) -> RunReport {
    try await backend.run(plan, io)
  }
}

/// Returns the value of another module; rethrows its error as this module's.
///
/// - Parameter wrap: a case of this module's error, as `FrostglassError.plan`.
package func mapped<Inner: Error, Outer: Error, Value>(
  _ wrap: (Inner) -> Outer, _ value: @autoclosure () throws(Inner) -> Value
) throws(Outer) -> Value {
  do throws(Inner) { return try value() } catch { throw wrap(error) }
}

/// Returns the value of another module's asynchronous call; rethrows its error as this module's.
package func mapped<Inner: Error, Outer: Error, Value>(
  isolation: isolated (any Actor)? = #isolation, _ wrap: (Inner) -> Outer,
  async value: @autoclosure () async throws(Inner) -> Value
) async throws(Outer) -> Value {
  do throws(Inner) { return try await value() } catch { throw wrap(error) }
}
