internal import CKernels
package import FrostglassCore
internal import Glibc
internal import Synchronization

// What is settled about a plan before its rows are computed: in what samples, which of its steps are done
// as one, and how it ends.

/// What a run finds out about a plan before it computes a pixel, and the next run of the same plan need
/// not find out again.
///
/// Of 1920×1080 pixels and a σ of 20 or more, that is a twelfth of what a run takes.
final class KnownPlan: Sendable {
  /// As it was given; it is well formed.
  let plan: Plan
  /// With the steps joined that are computed at once.
  let fused: Plan
  private let engine: (strips: Int, usesReference: Bool)
  private let inOrder = Mutex<RowSchedule?>(nil)
  private let made = Mutex<PictureStages?>(nil)
  private let counted = Mutex<[PartBytes]?>(nil)

  /// - Parameters:
  ///   - plan: a valid one.
  ///   - strips: how many parts of a picture are made side by side, at most.
  ///   - usesReference: whether every pass runs on its reference kernel.
  init(_ plan: Plan, strips: Int, usesReference: Bool) {
    self.plan = plan
    fused = usesReference ? plan : plan.fused()
    engine = (strips, usesReference)
  }

  /// In which order the rows of a stream are made; worked out when it is first asked for.
  var streamed: RowSchedule {
    inOrder.withLock { inOrder in
      let schedule =
        inOrder
        ?? RowSchedule(
          fused, target: nil, rows: fused.result.rect.rows, complete: [],
          rowsPerBand: streamedRows, ending)
      inOrder = schedule
      return schedule
    }
  }

  /// The same for what a stream keeps: of very many rows, which take long to go through, some.
  var sampled: RowSchedule {
    RowSchedule(sampling: fused, rowsPerBand: streamedRows, ending) ?? streamed
  }

  private var ending: PlanEnding { PlanEnding(fused, allowsFixed: !engine.usesReference) }
  /// Each thread gets as many rows of a band as one alone would take.
  private var streamedRows: Int { RowSchedule.rowsPerBand * engine.strips }

  /// How whole pictures are made; worked out when it is first asked for.
  var stages: PictureStages {
    made.withLock { made in
      let stages =
        made ?? PictureStages(fused, strips: engine.strips, usesReference: engine.usesReference)
      made = stages
      return stages
    }
  }
}

extension KnownPlan {
  /// For each of the parts, what it takes; counted when it is first asked for.
  func bytes(_ count: (PictureStages.Part) -> PartBytes) -> [PartBytes] {
    let parts = stages.parts
    return counted.withLock { counted in
      let bytes = counted ?? parts.map(count)
      counted = bytes
      return bytes
    }
  }
}

/// Bytes that a part of whole pictures takes.
struct PartBytes {
  /// Pictures that are made in full.
  let pictures: Int
  /// The rows of a strip, of which each thread has one at a time.
  let strip: Int
  /// What passes take besides while they make as many strips as there are at once.
  let beside: Int
}

/// What rows of intermediate pictures are made of, and with it which kernels compute them.
protocol RowSample: BitwiseCopyable {
  /// Nothing is there.
  static var transparent: Self { get }
  /// Samples per pixel of a picture.
  static func channels(of layout: PixelFormat.Layout) -> Int
  /// What computes a step of a strip's schedule; `nil` where the next step does it on the way.
  static func program(for step: Step, of strip: RowStrip<Self>) -> RowProgram?
  /// Takes over pixels of floats, as many as fill `source`.
  static func take(
    _ source: UnsafeBufferPointer<Float>, _ layout: PixelFormat.Layout,
    into target: UnsafeMutablePointer<Self>)
  /// Gives pixels as floats, as many as fill `target`.
  static func give(
    _ source: UnsafePointer<Self>, _ layout: PixelFormat.Layout,
    into target: UnsafeMutableBufferPointer<Float>)
}

/// 16-bit fixed point; `CKernels.h` says what a sample stands for.
extension Int16: RowSample {
  static var transparent: Int16 { -Int16(FG_FULL) }

  /// Colors have a fourth sample, full where there is no alpha.
  static func channels(of layout: PixelFormat.Layout) -> Int { layout == .gray ? 1 : 4 }

  static func program(for step: Step, of strip: RowStrip<Int16>) -> RowProgram? {
    strip.fixedProgram(for: step)
  }

  /// To the nearest unit; values outside 0…1 are limited, and what is not a number becomes 0.
  static func take(
    _ source: UnsafeBufferPointer<Float>, _ layout: PixelFormat.Layout,
    into target: UnsafeMutablePointer<Int16>
  ) {
    let full = Float(2 * FG_FULL)
    func sample(_ value: Float) -> Int16 {
      // In this order 0 is made of what is not a number; vectors can do comparisons.
      let positive = value > 0 ? value : 0
      let limited = positive < 1 ? positive : 1
      return Int16(truncatingIfNeeded: Int32(limited * full + 0.5) - Int32(FG_FULL))
    }
    guard layout == .rgb else {
      for index in source.indices { target[index] = sample(source[index]) }
      return
    }
    for pixel in 0..<source.count / 3 {
      for channel in 0..<3 { target[4 * pixel + channel] = sample(source[3 * pixel + channel]) }
      target[4 * pixel + 3] = Int16(FG_FULL)
    }
  }

  static func give(
    _ source: UnsafePointer<Int16>, _ layout: PixelFormat.Layout,
    into target: UnsafeMutableBufferPointer<Float>
  ) {
    let unit = 1 / Float(2 * FG_FULL)
    guard layout == .rgb else {
      for index in target.indices { target[index] = Float(Int32(source[index]) + FG_FULL) * unit }
      return
    }
    for pixel in 0..<target.count / 3 {
      for channel in 0..<3 {
        target[3 * pixel + channel] = Float(Int32(source[4 * pixel + channel]) + FG_FULL) * unit
      }
    }
  }
}

/// 32-bit float, any value.
extension Float: RowSample {
  static var transparent: Float { 0 }

  static func channels(of layout: PixelFormat.Layout) -> Int { layout.channels }

  static func program(for step: Step, of strip: RowStrip<Float>) -> RowProgram? {
    strip.floatProgram(for: step)
  }

  static func take(
    _ source: UnsafeBufferPointer<Float>, _ layout: PixelFormat.Layout,
    into target: UnsafeMutablePointer<Float>
  ) {
    _ = UnsafeMutableBufferPointer(start: target, count: source.count).update(
      fromContentsOf: source)
  }

  static func give(
    _ source: UnsafePointer<Float>, _ layout: PixelFormat.Layout,
    into target: UnsafeMutableBufferPointer<Float>
  ) {
    _ = target.update(fromContentsOf: UnsafeBufferPointer(start: source, count: target.count))
  }
}

/// What the samples of a plan's intermediate rows are.
package enum RowArithmetic {
  /// `Int16`.
  case fixed
  /// `Float`.
  case float
}

extension Plan {
  /// In what the plan's rows are computed.
  ///
  /// - Parameter allowsFixed: whether fixed point is used where it serves.
  package func arithmetic(allowsFixed: Bool = true) -> RowArithmetic {
    allowsFixed && isFixed ? .fixed : .float
  }

  /// Whether 16-bit intermediates are enough, and every pass has fixed-point kernels.
  var isFixed: Bool {
    slots.allSatisfy { $0.precision <= .fixed16 }
      && steps.allSatisfy { $0.pass.hasFixedKernel(in: self) }
  }
}

extension Pass {
  /// Whether there are fixed-point kernels for exactly these numbers.
  fileprivate func hasFixedKernel(in plan: Plan) -> Bool {
    switch self {
    case .load(let load): load.fits(plan.inputs[load.input].format)
    case .resample(let resample): resample.hasFixedKernel
    case .convolve(let convolve): convolve.hasFixedKernel
    // Fixed point holds nothing outside 0…1.
    case .colorMatrix(let matrix): matrix.clamps
    // The others stay in 0…1, and run on their reference kernels where they have no other.
    case .blend, .lumaCurve, .displace, .generate, .bilateral, .median, .cellMeans, .cellFill,
      .grain, .stencil, .gather, .highlightWeight, .packChannels:
      true
    // There is no sRGB curve.
    case .store(let store): !store.encodesFromLinear
    }
  }
}

extension Load {
  /// Whether rows of a format can be loaded into fixed point.
  fileprivate func fits(_ format: PixelFormat) -> Bool {
    let ignoresAlpha = format.layout.hasAlpha && alpha == .opaque
    return !decodesToLinear && format.depth != .float32 && !ignoresAlpha
  }
}

// Steps that fixed point computes as one, with fewer roundings between.
extension Plan {
  /// The same plan with steps joined that fixed point computes at once.
  ///
  /// What a step sees beyond the picture is what the one before makes of what it sees there, so means
  /// of means are those of the picture continued without end, and so is the mean of both.
  fileprivate func fused() -> Plan {
    guard !roundsBetweenSteps, isFixed else { return self }
    var plan = self
    for index in steps.indices {
      plan.joinBoxes(index)
      plan.joinRuns(index)
    }
    plan.removeUnreadSteps()
    return plan
  }

  /// The step that makes what a step, and no other, reads as one of its sources.
  private func maker(_ index: Int, _ place: Int = 0) -> Int? {
    guard steps[index].sources.indices.contains(place) else { return nil }
    let slot = steps[index].sources[place].slot
    let readers = steps.reduce(0) { $0 + $1.sources.count { $0.slot == slot } }
    return readers == 1 ? steps.firstIndex { $0.target == slot } : nil
  }

  /// Joins a box with one before it along the same axis.
  private mutating func joinBoxes(_ index: Int) {
    // One that has joined the one before may be joined by the next.
    guard case .convolve(let second) = steps[index].pass, let maker = maker(index),
      case .convolve(let first) = steps[maker].pass, first.axis == second.axis,
      let one = first.boxes, let other = second.boxes, one.width == other.width,
      let both = BoxPower(width: one.width, order: one.order + other.order)
    else { return }
    let (source, before) = (steps[index].sources[0], steps[maker].sources[0])
    let (seen, expected) = first.axis == .x ? (source.x, before.x) : (source.y, before.y)
    guard seen == nil || seen == expected?.convolved(radius: first.radius) else { return }
    replaceStep(
      index, with: .convolve(Convolve(axis: first.axis, taps: both.taps)), on: [before])
  }

  /// Joins a shape that was taken apart into means of runs and what is left beside them.
  private mutating func joinRuns(_ index: Int) {
    guard case .blend(let blend) = steps[index].pass, case .mix(let amount) = blend.mode,
      let outer = maker(index, 0), let other = maker(index, 1), let inner = maker(outer),
      case .stencil(let runs) = steps[outer].pass, case .stencil(let rest) = steps[other].pass,
      case .stencil(let run) = steps[inner].pass,
      steps[inner].sources == steps[other].sources,
      let shape = Stencil(run, at: runs, beside: rest, amount: Double(amount))
    else { return }
    let (means, source) = (steps[outer].sources[0], steps[inner].sources[0])
    let mirrored = run.mirrored
    let x = source.x?.filtered(offsets: run.columns, stride: 1, isSymmetric: mirrored.x)
    let y = source.y?.filtered(offsets: run.rows, stride: 1, isSymmetric: mirrored.y)
    guard means.x == nil || means.x == x, means.y == nil || means.y == y else { return }
    replaceStep(index, with: .stencil(shape), on: [source])
  }
}

extension Stencil {
  /// A shape of runs, each wherever one begins, mixed with what is left beside them; `nil` where the parts
  /// are none of whole weights.
  fileprivate init?(_ run: Stencil, at runs: Stencil, beside rest: Stencil, amount: Double) {
    let parts = [run, runs, rest]
    let whole = parts.compactMap { $0.stride == 1 && $0.phases == 1 ? $0.wholeTaps(0) : nil }
    guard whole.count == 3, (whole[0] + whole[1]).allSatisfy({ $0.count == 1 }) else { return nil }
    let inside = Double(whole[0].count * whole[1].count)
    let outside = Double(whole[2].reduce(0) { $0 + $1.count })
    // What a sample of a run counts beside the rest's, so that the rest is that much of all.
    let full = (outside * (1 / amount - 1) / inside).rounded()
    guard full >= 1, full < 0x1p15, abs(outside / (outside + full * inside) / amount - 1) < 1e-6
    else { return nil }
    var counts: [SIMD2<Int>: Int] = [:]
    for start in whole[1] {
      for step in whole[0] {
        counts[SIMD2(start.dx + step.dx, start.dy + step.dy), default: 0] += Int(full)
      }
    }
    for tap in whole[2] { counts[SIMD2(tap.dx, tap.dy), default: 0] += tap.count }
    self.init(counts.map { WholeTap(dx: $0.key.x, dy: $0.key.y, count: $0.value) })
  }
}

/// A box, or two or three of them in a row: what running sums compute at one price for any width.
struct BoxPower: Equatable {
  /// Samples of the box.
  let width: Int
  /// How often, 1 to 3.
  let order: Int

  /// Samples to each side of all of them together.
  var radius: Int { order * (width - 1) / 2 }

  /// What a sum is multiplied by.
  var scale: Float { Float(pow(Double(width), -Double(order))) }

  /// - Returns: `nil` where sums of samples would not fit 32 bits, or all together have no middle.
  init?(width: Int, order: Int) {
    guard 1...3 ~= order, width >= order, order * (width - 1) % 2 == 0,
      pow(Double(width), Double(order)) * 0x1p14 < 0x1p31
    else { return nil }
    self.width = width
    self.order = order
  }

  /// The boxes that some taps are, from the middle outward; `nil` where they are none.
  init?(taps: [Float]) {
    let radius = taps.count - 1
    // The outermost sample is seen once, the next by as many ways as there are boxes.
    let ways = radius == 0 ? 1 : (taps[radius - 1] / taps[radius]).rounded()
    guard 1...3 ~= ways, let power = BoxPower(width: 2 * radius / Int(ways) + 1, order: Int(ways)),
      power.radius == radius, abs(taps[radius] / power.scale - 1) < 1e-6,
      zip(taps, power.taps).allSatisfy({ abs($0 - $1) <= 1e-6 * $1 })
    else { return nil }
    self = power
  }

  /// From the middle outward.
  var taps: [Float] {
    var all = [1.0]
    for _ in 0..<order {
      // Each is the sum of the last `width` before.
      var sum = 0.0
      all = (0..<all.count + width - 1).map { index in
        if index < all.count { sum += all[index] }
        if index >= width { sum -= all[index - width] }
        return sum
      }
    }
    return all[radius...].map { Float($0 * Double(scale)) }
  }
}

extension Convolve {
  /// The boxes that the taps are.
  var boxes: BoxPower? { BoxPower(taps: taps) }
}

/// How a plan ends, and what follows from it for the pictures that it mixes: worked out once for all strips.
struct PlanEnding {
  /// `nil` for plans whose last steps are done one by one.
  let masked: MaskedEnding?
  private let shown: ShownLayers?
  /// For each slot, which parts of its rows are computed; `nil` is all.
  let blocks: [ColumnBlocks?]

  /// - Parameters:
  ///   - allowsFixed: whether fixed point is used where it serves; there is no ending otherwise.
  ///   - rows: of the result, where no others will be asked for.
  init(_ plan: Plan, allowsFixed: Bool = true, rows: Range<Int>? = nil) {
    let showsThroughMasks = plan.steps.contains { step in
      if case .blend(let blend) = step.pass { blend.mode == .masked } else { false }
    }
    masked =
      showsThroughMasks && plan.arithmetic(allowsFixed: allowsFixed) == .fixed
      ? MaskedEnding(plan) : nil
    let all = plan.result.rect
    let part = rows.map { Rect(columns: all.columns, rows: $0.clamped(to: all.rows)) } ?? all
    let shown = masked.map { ShownLayers($0, part) }
    self.shown = shown
    var blocks = [ColumnBlocks?](repeating: nil, count: plan.slots.count)
    if let masked, let shown {
      for (index, layer) in masked.layers.enumerated() {
        for (slot, part) in plan.parts(of: index, layer, shown) { blocks[slot] = part }
      }
    }
    self.blocks = blocks
  }

  /// The rows for which a step reads one of its sources; `nil` where that follows from its pass.
  func rows(for step: Step, readingSource place: Int) -> RowSet? {
    guard let masked, let shown, let target = step.target, place < 2,
      let layer = masked.layers.firstIndex(where: { $0.target == target })
    else { return nil }
    if place == 1 { return shown.rows(layer) }
    return layer == 0 ? shown.rows(-1) : nil
  }

  /// Parts of a result's rows that take about as long; `nil` where all rows take as long.
  func cuts(of plan: Plan, into parts: Int) -> [Range<Int>]? {
    guard let masked, let shown, masked.layers.count > 1 else { return nil }
    var costs = shown.shares(-1).map { 1 + $0 }
    for (index, layer) in masked.layers.enumerated() {
      let cost = plan.cost(of: layer)
      for (band, share) in shown.shares(index).enumerated() { costs[band] += cost * share }
    }
    return shown.cuts(costs, into: parts)
  }
}

extension Plan {
  /// How much work a row of a step's target is.
  func multiplyAddsPerRow(of step: Step) -> Int {
    let slot = step.target.map { slots[$0] }
    let width = slot?.domain.width ?? result.rect.width
    let channels = slot?.layout.channels ?? result.format.layout.channels
    return width * channels * max(step.pass.multiplyAdds, 1)
  }
}

extension Range<Int> {
  /// Parts of about the same length that together give the whole; none is empty.
  func strips(_ wanted: Int) -> [Range<Int>] {
    let number = Swift.max(1, Swift.min(wanted, count))
    return (0..<number).map { index in
      lowerBound + count * index / number..<lowerBound + count * (index + 1) / number
    }
  }
}
