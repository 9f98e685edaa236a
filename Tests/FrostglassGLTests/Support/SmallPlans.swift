import FrostglassCore

/// Plans put together by hand: a load, the passes under test, a store that keeps every bit.
enum SmallPlans {
  /// Makes a plan of passes, one after another, for an image.
  ///
  /// - Parameter size: the result's size; `nil` for the image's size.
  static func chain(
    on image: Image, _ passes: [Pass], edge: EdgeMode? = nil, size: Size? = nil,
    precision: Precision = .float32, result: PixelFormat = PixelFormat(.rgba, .float32),
    alpha: AlphaMode = .premultiplied, rect: Rect? = nil
  ) throws -> Plan {
    let input = Plan.Input(image)
    let picture = Rect(image.size)
    let out = rect ?? Rect(size ?? image.size)
    var steps = [
      Step(
        pass: .load(Load(input: 0, alpha: input.alpha, decodesToLinear: false)), sources: [],
        target: 0)
    ]
    let edges = edge.map { (AxisEdge($0, picture.columns), AxisEdge($0, picture.rows)) }
    for (index, pass) in passes.enumerated() {
      let outside = index == 0 ? edges : nil
      let source = Source(slot: index, x: outside?.0, y: outside?.1)
      steps.append(Step(pass: pass, sources: [source], target: index + 1))
    }
    let store = Store(format: result, alpha: alpha, encodesFromLinear: false, background: nil)
    steps.append(Step(pass: .store(store), sources: [Source(slot: passes.count)], target: nil))
    let slot = Slot(domain: out, layout: .rgba, precision: precision)
    let plan = Plan(
      inputs: [input], slots: [Slot](repeating: slot, count: passes.count + 1), steps: steps,
      results: [Plan.Result(rect: out, format: result, alpha: alpha, transfer: .encoded)])
    // Cropping to the whole settles what each slot holds.
    let settled = try plan.cropped(to: out)
    try settled.validate(for: .none)
    return settled
  }
}
