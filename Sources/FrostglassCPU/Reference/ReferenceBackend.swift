public import FrostglassCore

/// The backend that defines what a plan computes: float, one readable function per pass.
public struct ReferenceBackend: Backend {
  /// `reference`.
  public let name = "reference"

  private let callers = ThreadPool()

  /// It needs nothing and keeps nothing.
  public init() {}

  /// Runs the whole plan at once, on one core.
  public func run(_ plan: Plan, _ io: PixelIO) async throws(BackendError) -> RunReport {
    try await io.run(on: callers) { io throws(BackendError) in try runNow(plan, io) }
  }

  private func runNow(_ plan: Plan, _ io: PixelIO) throws(BackendError) -> RunReport {
    try io.check(plan)
    var inputs: [Image] = []
    for (index, input) in io.inputs.enumerated() {
      guard let image = try input.gathered(plan.inputs[index], io.cancellation) else {
        throw .unsupported(
          backend: name, what: "input \(index), which is on a device; download it first")
      }
      inputs.append(image)
    }
    for case .resident in io.outputs {
      throw .unsupported(backend: name, what: "results on a device; ask for them in memory")
    }
    try MemoryRoom.check(
      max(plan.wholeMemory, plan.resultBytes),
      "\(plan.results.map { "\($0.rect.size)" }.joined(separator: " and ")) pixels in floats")
    let images = ReferenceKernels.run(plan.inParts(), inputs) {
      io.cancellation?.isCancelled == true
    }
    try io.cancellation?.check()
    guard images.count == io.outputs.count else {
      throw .failed(backend: name, what: "the plan has no result; was it validated?")
    }
    for (output, image) in zip(io.outputs, images) { try output.deliver(image, io.cancellation) }
    return RunReport(backend: name)
  }

  /// Every pass is computed alone.
  public func computesAlike(_ first: Plan, _ second: Plan) -> Bool { true }
}

/// Runs a plan step by step in float: what every other backend is compared with.
enum ReferenceKernels {
  /// - Parameters:
  ///   - plan: a valid one.
  ///   - inputs: images that match its inputs.
  ///   - isCancelled: asked between passes.
  /// - Returns: the results in order; none where it was cancelled.
  static func run(_ plan: Plan, _ inputs: [Image], isCancelled: () -> Bool = { false }) -> [Image] {
    var results = [Image?](repeating: nil, count: plan.results.count)
    var pictures = [WorkingPicture?](repeating: nil, count: plan.slots.count)
    let lastUses = plan.lastUses
    for (index, step) in plan.steps.enumerated() {
      if isCancelled() { return [] }
      let sources = step.sources.compactMap { source in
        pictures[source.slot].map { SourceRows(picture: $0, source: source) }
      }
      if case .store(let store) = step.pass {
        results[store.result] = store.reference(sources[0], result: plan.results[store.result])
      } else {
        guard let target = step.target,
          let made = run(step, of: plan, sources, inputs, isCancelled)
        else { return [] }
        pictures[target] = made
      }
      for source in step.sources where lastUses[source.slot] == index {
        pictures[source.slot] = nil
      }
    }
    return results.compactMap { $0 }
  }

  /// A step that writes a slot, in parts where it takes long.
  private static func run(
    _ step: Step, of plan: Plan, _ sources: [SourceRows], _ inputs: [Image],
    _ isCancelled: () -> Bool
  ) -> WorkingPicture? {
    guard let target = step.target else { return nil }
    let slot = plan.slots[target]
    let blocks = plan.blocks(of: slot.domain, step)
    guard blocks.count > 1 else { return run(step.pass, sources, inputs, into: slot) }
    var picture = WorkingPicture(slot)
    for block in blocks {
      var part = slot
      part.domain = block
      guard !isCancelled(), let made = run(step.pass, sources, inputs, into: part) else {
        return nil
      }
      picture.replace(block, with: made)
    }
    return picture
  }

  /// One pass other than a store.
  static func run(
    _ pass: Pass, _ sources: [SourceRows], _ inputs: [Image], into slot: Slot
  ) -> WorkingPicture? {
    switch pass {
    case .load(let load): load.reference(inputs[load.input], into: slot)
    case .resample(let resample): resample.reference(sources[0], into: slot)
    case .convolve(let convolve): convolve.reference(sources[0], into: slot)
    case .colorMatrix(let matrix): matrix.reference(sources[0], into: slot)
    case .lumaCurve(let curve): curve.reference(sources[0], into: slot)
    case .displace(let displace): displace.reference(sources[0], sources[1], into: slot)
    case .blend(let blend): blend.reference(sources, into: slot)
    case .packChannels(let pack): pack.reference(sources[0], sources[1], into: slot)
    case .generate(let generate): generate.reference(into: slot)
    case .bilateral(let bilateral): bilateral.reference(sources[0], into: slot)
    case .median(let median): median.reference(sources[0], into: slot)
    case .cellMeans(let means): means.reference(sources[0], into: slot)
    case .cellFill(let fill): fill.reference(sources[0], into: slot)
    case .grain(let grain): grain.reference(sources[0], into: slot)
    case .stencil(let stencil): stencil.reference(sources[0], into: slot)
    case .gather(let gather): gather.reference(sources[0], into: slot)
    case .highlightWeight(let pass): pass.reference(sources[0], into: slot)
    case .store: nil
    }
  }
}
