internal import FrostglassBackends
internal import FrostglassCore

/// A filter chain prepared for frames of one size and format, such as those of a video or a camera: planned
/// once, with memory that is reused.
///
/// Calls may be concurrent. As many frames as keep the backend busy are processed, others
/// wait, and calls return in the order in which they were made. A canceled or late call stops waiting
/// immediately.
///
///     let renderer = try await Renderer([.gaussian(sigma: 12)], for: description)
///     try await renderer.render(frame, into: result)
public final class Renderer: Sendable {
  /// The plan applied to each frame.
  public let plan: Plan
  /// The name of the backend that was chosen.
  public let backend: String
  /// The reason for choosing that backend, in words.
  public let reason: String
  /// Bytes kept between frames.
  package var memory: Int { prepared.memory }
  /// The number of waiting frames.
  package var waiting: Int { order.waiting }
  private let runner: any Backend
  private let prepared: any PreparedPlan
  private let order: FairSemaphore

  /// Plans a chain and chooses the backend for it.
  ///
  /// - Parameters:
  ///   - frame: the description of all frames; `plan.result` describes the results.
  ///   - pipeline: provides the backend.
  /// - Throws: `FrostglassError.plan` or `.execute`.
  public convenience init(
    _ chain: FilterChain, for frame: Plan.Input, options: PlanOptions = PlanOptions(),
    on pipeline: Pipeline = Pipeline()
  ) async throws(FrostglassError) {
    let plan = try await pipeline.planned { () throws(PlanError) in
      try chain.plan(for: frame, options: options)
    }
    try await self.init(plan, on: pipeline)
  }

  /// Chooses the backend for an existing plan.
  ///
  /// - Throws: `FrostglassError.execute`.
  public init(_ plan: Plan, on pipeline: Pipeline = Pipeline()) async throws(FrostglassError) {
    self.plan = plan
    do {
      // Starting a device costs little compared with a video.
      let selection = try await pipeline.selector.selection(for: plan, times: Self.many)
      runner = pipeline.selector.backend(of: selection)
      prepared = try runner.prepare(plan)
      order = FairSemaphore(runner.framesInFlight)
      backend = runner.name
      reason = selection.reason
    } catch { throw FrostglassError(error) }
  }

  /// Uses the backend of another renderer, for frames between its own.
  ///
  /// - Throws: `FrostglassError.execute`.
  package init(_ plan: Plan, like other: Renderer) throws(FrostglassError) {
    self.plan = plan
    (runner, order) = (other.runner, other.order)
    (backend, reason) = (other.backend, other.reason)
    do { prepared = try runner.prepare(plan) } catch {
      throw FrostglassError(error)
    }
  }

  /// The assumed number of frames when choosing a backend.
  fileprivate static let many = 1000

  /// Renders a frame from the caller's memory to the caller's memory.
  ///
  /// - Parameters:
  ///   - frame: as the plan's input is described.
  ///   - result: memory for `plan.result` that does not overlap the frame's.
  /// - Returns: the backend that computed it, and recovered device failures.
  /// - Throws: `FrostglassError.execute`, `.cancelled` or `.deadlineExceeded`; then the result is
  ///   undefined, and later frames are not affected.
  @discardableResult
  public func render(
    _ frame: PixelMemory, into result: MutablePixelMemory, cancellation: Cancellation? = nil
  ) async throws(FrostglassError) -> RunReport {
    try await render(
      PixelIO([.memory(frame)], to: [.memory(result)], cancellation: cancellation))
  }

  /// Renders a frame from any kind of input to any kind of output, or with several of them.
  ///
  /// - Throws: as for memory.
  @discardableResult
  public func render(_ io: PixelIO) async throws(FrostglassError) -> RunReport {
    do {
      return try await order.inOrder(until: io.cancellation) { () async throws(BackendError) in
        try await prepared.run(io)
      }
    } catch { throw FrostglassError(error) }
  }
}

/// A filter chain prepared for frames in planes of luma and chroma, as cameras and videos
/// deliver them; otherwise like `Renderer`.
public final class YCbCrRenderer: Sendable {
  /// The plan applied to each frame.
  public let plan: YCbCrPlan
  /// The name of the backend that was chosen.
  public let backend: String
  /// Bytes kept between frames.
  package var memory: Int { prepared.memory }
  private let runner: any Backend
  private let prepared: any PreparedPlan
  private let order: FairSemaphore

  /// Plans a chain and chooses the backend for it.
  ///
  /// - Parameters:
  ///   - format: the storage format of frames and results.
  ///   - size: the frames' size in pixels.
  ///   - background: the color behind transparent results, as planes have no alpha.
  ///   - pipeline: provides the backend.
  /// - Throws: `FrostglassError.plan` or `.execute`.
  public init(
    _ chain: FilterChain, for format: YCbCrFormat, size: Size, options: PlanOptions = PlanOptions(),
    background: Color = .white, on pipeline: Pipeline = Pipeline()
  ) async throws(FrostglassError) {
    plan = try await pipeline.planned { () throws(PlanError) in
      try chain.plan(for: format, size: size, options: options, background: background)
    }
    do throws(BackendError) {
      let selection = try await pipeline.selector.selection(
        for: plan.first, times: Renderer.many)
      runner = pipeline.selector.backend(of: selection)
      prepared = try runner.prepare(plan)
      order = FairSemaphore(runner.framesInFlight)
      backend = runner.name
    } catch { throw FrostglassError(error) }
  }

  /// Takes frames and backend of another renderer, for those of its frames that are covered elsewhere.
  ///
  /// - Throws: `FrostglassError.plan` or `.execute`.
  package convenience init(
    _ chain: FilterChain, options: PlanOptions, background: Color, like other: YCbCrRenderer
  ) throws(FrostglassError) {
    let plan: YCbCrPlan
    do {
      plan = try chain.plan(
        for: other.plan.format, size: other.plan.size, options: options, background: background)
    } catch { throw .plan(error) }
    try self.init(plan, like: other)
  }

  /// Takes the backend of another renderer, for parts of its frames.
  ///
  /// - Throws: `FrostglassError.execute`.
  package init(_ plan: YCbCrPlan, like other: YCbCrRenderer) throws(FrostglassError) {
    self.plan = plan
    (runner, order, backend) = (other.runner, other.order, other.backend)
    do { prepared = try runner.prepare(plan) } catch {
      throw FrostglassError(error)
    }
  }

  /// Renders a frame from the caller's memory to the caller's memory.
  ///
  /// - Parameters:
  ///   - planes: as `plan.format.planes(of: plan.size)` describes them, in order.
  ///   - results: as many planes of the same description, in memory that does not overlap.
  /// - Returns: the backend that computed it, and recovered device failures.
  /// - Throws: as `Renderer` does.
  @discardableResult
  public func render(
    _ planes: [PixelMemory], into results: [MutablePixelMemory], cancellation: Cancellation? = nil
  ) async throws(FrostglassError) -> RunReport {
    try await run(planes.map { .memory($0) }, results.map { .memory($0) }, cancellation)
  }

  private func run(
    _ inputs: [PixelInput], _ outputs: [PixelOutput], _ cancellation: Cancellation?
  ) async throws(FrostglassError) -> RunReport {
    do {
      return try await order.inOrder(until: cancellation) { () async throws(BackendError) in
        try await prepared.run(PixelIO(inputs, to: outputs, cancellation: cancellation))
      }
    } catch { throw FrostglassError(error) }
  }

  /// Renders a frame into new memory.
  ///
  /// - Parameter picture: a frame of the plan's size and format.
  /// - Throws: as `Renderer` does.
  public func render(
    _ picture: YCbCrImage, cancellation: Cancellation? = nil
  ) async throws(FrostglassError) -> YCbCrImage {
    do { try plan.check(picture) } catch { throw FrostglassError(error) }
    let outputs = plan.results.map { _ in ImageOutput() }
    _ = try await run(
      picture.planes.map { .image($0) }, outputs.map { .image($0) }, cancellation)
    do {
      return try YCbCrImage(
        size: plan.size, format: plan.format, planes: outputs.compactMap { $0.take() })
    } catch { throw .execute(.failed(backend: backend, what: "\(error)")) }
  }
}
