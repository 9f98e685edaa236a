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

/// Runs a plan step by step in float: what every other backend is compared with.
enum ReferenceKernels {
  /// - Parameters: a valid plan, and images that match its inputs.
  static func run(_ plan: Plan, _ inputs: [Image]) -> Image? {
    var pictures = [WorkingPicture?](repeating: nil, count: plan.slots.count)
    let lastUses = plan.lastUses
    for (index, step) in plan.steps.enumerated() {
      let sources = step.sources.compactMap { source in
        pictures[source.slot].map { SourceRows(picture: $0, source: source) }
      }
      guard let target = step.target else {
        guard case .store(let store) = step.pass else { return nil }
        return store.reference(sources[0], result: plan.result)
      }
      pictures[target] = run(step.pass, sources, inputs, into: plan.slots[target])
      for source in step.sources where lastUses[source.slot] == index {
        pictures[source.slot] = nil
      }
    }
    return nil
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
    case .prepend(let prepend): prepend.reference(sources[0], sources[1], into: slot)
    case .generate(let generate): generate.reference(into: slot)
    case .bilateral(let bilateral): bilateral.reference(sources[0], into: slot)
    case .median(let median): median.reference(sources[0], into: slot)
    case .cellMeans(let means): means.reference(sources[0], into: slot)
    case .cellFill(let fill): fill.reference(sources[0], into: slot)
    case .grain(let grain): grain.reference(sources[0], into: slot)
    case .stencil(let stencil): stencil.reference(sources[0], into: slot)
    case .gather(let gather): gather.reference(sources[0], into: slot)
    case .weigh(let weigh): weigh.reference(sources[0], into: slot)
    case .store: nil
    }
  }
}
