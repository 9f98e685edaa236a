internal import FrostglassBackends
public import FrostglassCore
public import FrostglassStills

extension Pipeline {
  /// Blurs an image file.
  ///
  /// - Parameters:
  ///   - input: any `StillFormat`.
  ///   - output: its extension chooses the format.
  ///     Animations stay animations if the format can hold them (`StillFormat.canAnimate`).
  ///   - overwrite: true to replace an existing file.
  /// - Throws: `FrostglassError`; then nothing was written.
  @discardableResult
  public func blur(
    _ input: String, to output: String, _ chain: FilterChain, options: PlanOptions = PlanOptions(),
    overwrite: Bool = false
  ) async throws(FrostglassError) -> Report {
    try await run(
      Job(
        source: .file(input), recipe: Recipe(chain, options: options),
        sink: .file(output, overwrite: overwrite)))
  }

  /// Blurs an image file in memory.
  ///
  /// - Parameters:
  ///   - file: any `StillFormat`.
  ///   - format: the result's; `nil` keeps the file's, or uses PNG if that cannot be written.
  ///   - background: the color behind a transparent result if the format has no alpha.
  /// - Returns: the blurred file, with the metadata that its format can hold.
  /// - Throws: `FrostglassError`.
  public func blur(
    _ file: [UInt8], _ chain: FilterChain, options: PlanOptions = PlanOptions(),
    as format: StillFormat? = nil, on background: Color = .white
  ) async throws(FrostglassError) -> [UInt8] {
    let output = EncodedFile()
    try await run(
      Job(
        source: .bytes(file), recipe: Recipe(chain, options: options, background: background),
        sink: .memory(output), format: format))
    return output.bytes ?? []
  }

  /// Blurs an image in memory.
  ///
  /// - Parameters:
  ///   - isolation: the caller's actor, where `recovered` is called; keep the default.
  ///   - recovered: called for each recovered failure.
  /// - Returns: an image of the same size and depth; with alpha if the filters or a transparent
  ///   edge make the image transparent.
  /// - Throws: `FrostglassError.plan` or `.execute`.
  public func blur(
    _ image: Image, _ chain: FilterChain, options: PlanOptions = PlanOptions(),
    isolation: isolated (any Actor)? = #isolation, recovered: (Recovery) -> Void = { _ in }
  ) async throws(FrostglassError) -> Image {
    let input = Plan.Input(image)
    let plan = try await planned { () throws(PlanError) in
      let plan = try chain.plan(for: input, options: options)
      try plan.validate(for: .none)
      return plan
    }
    let execution = try await execute(plan, image)
    for recovery in execution.report.recoveries { recovered(recovery) }
    return execution.image
  }

  /// - Parameter threads: for what computes or waits for long.
  package init(selector: BackendSelector, on threads: ThreadPool) {
    self.init(selector: selector)
    self.threads = threads
  }

  /// Plans on a thread of its own, as images of masks can take seconds. A cancelled task does not wait for it. If
  /// the system gives no thread, the caller plans.
  func planned<Made: Sendable>(
    _ make: @escaping @Sendable () throws(PlanError) -> Made
  ) async throws(FrostglassError) -> Made {
    let cancellation = Cancellation()
    return try await cancellation.whileTaskRuns { () async throws(FrostglassError) in
      try await threads.run(until: cancellation, FrostglassError.init, orHere: true) {
        () throws(FrostglassError) in try mapped(FrostglassError.plan, make())
      }
    }
  }

  /// An image and how it was computed.
  struct Execution: Sendable {
    var image: Image
    /// Each kind of recovery once.
    var report: RunReport
  }

  /// Runs a plan on the backend that is to run it.
  func execute(_ plan: Plan, _ image: Image) async throws(FrostglassError) -> Execution {
    let backend = selector.backend(
      of: try await mapped(FrostglassError.init, async: await selector.selection(for: plan)))
    let output = ImageOutput()
    var report = try await mapped(
      FrostglassError.init,
      async: await backend.run(plan, PixelIO([.image(image)], to: [.image(output)])))
    report.recoveries = report.recoveries.newTo([])
    guard let made = output.take() else {
      throw .execute(.failed(backend: report.backend, what: "there is no result"))
    }
    return Execution(image: made, report: report)
  }
}

extension Redaction {
  /// Filters that make a fill look like frosted glass.
  public static let frost: FilterChain = [
    .saturation(1.4), .tint(.white, alpha: 0.08), .grain(0.02),
  ]
}

extension Pipeline {
  /// Replaces parts of an image file so that nothing of them is left in it.
  ///
  /// - Parameters:
  ///   - input: any `StillFormat`; of animations all frames are redacted alike.
  ///   - output: its extension chooses the format. Metadata is left out.
  ///   - shapes: the shapes to hide. Every pixel that one of them touches is replaced.
  ///   - margin: the distance around shapes that is hidden too; 0 or more.
  ///   - look: the filters on top of the fill.
  ///   - allowed: the doubts to accept about whether shapes cover what was meant, such as a shape outside the
  ///     image. All others are refused.
  ///   - overwrite: true to replace an existing file.
  /// - Throws: `FrostglassError`; then nothing was written.
  @discardableResult
  public func redact(
    _ input: String, to output: String, _ shapes: [MaskShape],
    by redaction: Redaction = Redaction(),
    margin: Length = 4, look: FilterChain = Redaction.frost,
    allowing allowed: Set<MaskWarning.Kind> = [],
    overwrite: Bool = false
  ) async throws(FrostglassError) -> Report {
    var mask = Mask(shapes, grow: margin, redaction: redaction)
    mask.refused = Set(MaskWarning.Kind.allCases).subtracting(allowed)
    let options = PlanOptions(mask: mask)
    return try await run(
      Job(
        source: .file(input), recipe: Recipe(look, options: options),
        sink: .file(output, overwrite: overwrite), encoding: EncodeOptions(strip: true)))
  }
}
