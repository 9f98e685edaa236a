package import FrostglassCore

/// A plan as rows of it are computed: its steps as operations, several of them as one where that rounds less
/// or moves less.
///
/// All fusions are rules of `Lowering`, in this file. What runs looks at the operations alone.
package struct LoweredPlan: Sendable {
  package let plan: Plan
  /// The samples of its rows.
  package let arithmetic: RowArithmetic
  /// For each step of the plan, the operation that ends in it; `nil` for a step that a later one includes.
  package let ops: [RowOp?]
  /// For each slot, true if no operation makes its rows.
  let isIncluded: [Bool]
  /// The plan's end, where that is one operation.
  let ending: MaskedEnding?

  /// - Parameter allowsFixed: true if fixed point is used where it serves.
  package init(_ plan: Plan, allowsFixed: Bool = true) {
    self.plan = plan
    arithmetic = plan.arithmetic(allowsFixed: allowsFixed)
    let lowering = arithmetic == .fixed ? Lowering(plan) : Lowering(unfused: plan)
    (ops, ending) = (lowering.ops, lowering.ending)
    var isIncluded = [Bool](repeating: false, count: plan.slots.count)
    for (step, op) in zip(plan.steps, ops) where op == nil {
      if let slot = step.target { isIncluded[slot] = true }
    }
    self.isIncluded = isIncluded
  }

  /// Multiply-adds of a row of what an operation makes.
  func multiplyAddsPerRow(of op: RowOp) -> Int {
    op.includes.reduce(0) { $0 + plan.multiplyAddsPerRow(of: plan.steps[$1]) }
  }
}

/// An operation that computes rows of one slot, or of a result.
package struct RowOp: Sendable {
  /// The step that makes these rows.
  let step: Int
  /// The steps that this does, in the plan's order, itself among them.
  fileprivate(set) var includes: [Int]
  fileprivate(set) var work: Work

  /// The way in which the rows are computed.
  enum Work: Sendable {
    /// By the step's pass.
    case pass
    /// By a pass that adds up 8-bit samples of an input as they are.
    case sumInput(Load)
    /// By a filter along rows, each loaded as it is read.
    case filterInput(Load)
    /// By a blend with what a mask covers, whose image is not there.
    case mix(Coverage)
    /// As the pixels of an image times what a mask covers.
    ///
    /// - load: the load of the image on the way; `nil` if it is loaded already.
    /// - halving: the step that halves the result, as its only reader, where the weights are neither all 1
    ///   nor all 0; elsewhere nothing is made.
    case weigh(Coverage, load: Load?, halving: Int?)
    /// By halving what another step weighs, or the input where nothing is weighed.
    case halveWeighed(Int)
    /// Stored as they are grown by this step.
    case storeGrown(Int)
    /// Stored as a filter along columns, this step, makes them.
    case storeFiltered(Int)
    /// Stored as the pixels of the cells that this step would fill.
    case storeCells(Int)
    /// Stored as masks show images, one over the other.
    case storeMasked(MaskedEnding)
  }

  fileprivate init(step: Int) { (self.step, includes, work) = (step, [step], .pass) }
}

/// Makes operations of a plan's steps, and one of two as long as a rule says so.
private struct Lowering {
  let plan: Plan
  private(set) var ops: [RowOp?]
  private(set) var ending: MaskedEnding?
  /// For each step, the one whose operation includes it.
  private var end: [Int]
  /// For each slot, the steps that read it.
  private let readers: [[Int]]
  /// For each step, which rules it can begin.
  private let starts: [Start]

  /// The passes that a rule's first operation can be. Most rules fit nothing, which must neither copy a
  /// pass nor take memory: scenes have another plan for each frame.
  private enum Start {
    case mask, load, blend, growth, filter, cells, other

    init(_ pass: Pass) {
      self =
        switch pass {
        case .generate: .mask
        case .load: .load
        case .blend: .blend
        case .resample, .stencil: .growth
        case .convolve: .filter
        case .cellFill: .cells
        default: .other
        }
    }
  }

  /// A replacement of an operation and one that reads its rows; `nil` keeps both.
  ///
  /// - made: replaces the reader.
  /// - kept: replaces the operation that is read; `nil` drops it.
  private typealias Rule = (_ made: RowOp, _ reader: RowOp) -> (kept: RowOp?, made: RowOp)?

  /// One operation for each step.
  init(unfused plan: Plan) {
    self.plan = plan
    ops = plan.steps.indices.map { RowOp(step: $0) }
    end = Array(plan.steps.indices)
    var readers = [[Int]](repeating: [], count: plan.slots.count)
    for (index, step) in plan.steps.enumerated() {
      for source in step.sources where readers[source.slot].last != index {
        readers[source.slot].append(index)
      }
    }
    self.readers = readers
    starts = plan.steps.map { Start($0.pass) }
  }

  /// Operations in fixed point.
  init(_ plan: Plan) {
    self.init(unfused: plan)
    storeThroughMasks()
    let rules: [(Start, Rule)] = [
      (.mask, mask(_:into:)), (.load, load(_:into:)), (.load, loadRow(_:into:)),
      (.blend, weighing(_:into:)), (.growth, growing(_:into:)), (.filter, filter(_:into:)),
      (.cells, cells(_:into:)),
    ]
    for (start, rule) in rules {
      for index in plan.steps.indices where starts[index] == start { apply(rule, to: index) }
    }
  }

  /// Applies a rule to an operation and all that read it, or to none: rows that one needs must be there.
  private mutating func apply(_ rule: Rule, to index: Int) {
    guard let op = ops[index], let slot = slot(op), let first = readers[slot].first,
      starts[index] == .mask || ops[end[first]].flatMap({ rule(op, $0) }) != nil
    else { return }
    let ends = Set(readers[slot].map { end[$0] }).sorted()
    let fused = ends.map { reader in ops[reader].flatMap { rule(op, $0) } }
    let areAll = fused.allSatisfy { $0 != nil }
    // Operations that can use a mask's outlines do, even if others need its image.
    guard areAll || starts[index] == .mask else { return }
    for (reader, both) in zip(ends, fused) {
      guard let both else { continue }
      ops[reader] = both.made
      if both.kept == nil { include(op.includes, in: reader) }
    }
    if areAll { ops[index] = fused.last??.kept }
  }

  private mutating func include(_ steps: [Int], in reader: Int) {
    let all = steps + (ops[reader]?.includes ?? [])
    ops[reader]?.includes = all.sorted()
    for step in steps { end[step] = reader }
  }

  /// The steps of an operation that read a slot.
  private func steps(of op: RowOp, reading slot: Int) -> [Step] {
    op.includes.filter { readers[slot].contains($0) }.map { plan.steps[$0] }
  }
}

// The rules. Each is written for an operation that makes rows and one that reads them.
extension Lowering {
  private func pass(_ op: RowOp) -> Pass { plan.steps[op.step].pass }

  private func slot(_ op: RowOp) -> Int? { plan.steps[op.step].target }

  /// Blends of images through masks, growing and storing: one operation that stores.
  private mutating func storeThroughMasks() {
    guard let ending = MaskedEnding(plan), let last = ops.indices.last else { return }
    self.ending = ending
    let made = ops.indices.dropLast().filter { plan.steps[$0].target.map(ending.makes) ?? false }
    for index in made { ops[index] = nil }
    ops[last]?.work = .storeMasked(ending)
    include(made, in: last)
  }

  /// A mask made of shapes, and what shows or weighs an image by it: its outlines instead of its image.
  private func mask(_ mask: RowOp, into reader: RowOp) -> (kept: RowOp?, made: RowOp)? {
    guard let slot = slot(mask), let coverage = plan.coverage(of: slot)
    else { return nil }
    let steps = steps(of: reader, reading: slot)
    guard steps.allSatisfy({ step in step.sources.dropLast().allSatisfy { $0.slot != slot } })
    else { return nil }
    var made = reader
    if case .storeMasked = reader.work { return (nil, made) }
    guard case .pass = reader.work, case .blend(let blend) = pass(reader) else { return nil }
    let step = plan.steps[reader.step]
    if plan.multipliesByCoverage(step) {
      made.work = .weigh(coverage, load: nil, halving: nil)
    } else if blend.mode == .masked, !plan.roundsBetweenSteps, step.sources[2].x == nil,
      step.sources[2].y == nil
    {
      made.work = .mix(coverage)
    } else {
      return nil
    }
    return (nil, made)
  }

  /// Loading of 8-bit rows, and what reads them as they are: halving, means of cells, a plan's end, and what
  /// weighs them for that. No sample is rounded between.
  private func load(_ loading: RowOp, into reader: RowOp) -> (kept: RowOp?, made: RowOp)? {
    guard case .load(let load) = pass(loading), let slot = slot(loading), !plan.roundsBetweenSteps
    else { return nil }
    let format = plan.inputs[load.input].format
    let isStraight = format.layout == .rgba && load.alpha == .straight
    guard format.depth == .uint8, format.layout == plan.slots[slot].layout,
      !(isStraight && ending != nil)
    else { return nil }
    var made = reader
    switch reader.work {
    case .storeMasked(let ending):
      let bottom = ending.layers[0]
      guard ending.load == load else { return nil }
      let isRead = steps(of: reader, reading: slot).allSatisfy { step in
        if step.target == bottom.target { return bottom.slot != slot }
        return bottom.normalizes && bottom.growth != nil && step.target == bottom.slot
      }
      return isRead ? (nil, made) : nil
    case .weigh(let coverage, _, let halving):
      guard let ending, ending.load == load, ending.layers[0].normalizes,
        ending.layers[0].growth != nil,
        plan.steps[reader.step].sources.allSatisfy({ $0.x == nil && $0.y == nil })
      else { return nil }
      made.work = .weigh(coverage, load: load, halving: halving)
      return (nil, made)
    case .pass:
      let isRead =
        switch pass(reader) {
        case .resample(let resample): resample.halvesBoth
        case .stencil(let stencil): format.layout == .rgba && !isStraight && stencil.isDualHalving
        case .cellMeans: format.layout != .rgb && !isStraight
        default: false
        }
      made.work = .sumInput(load)
      return isRead ? (nil, made) : nil
    default: return nil
    }
  }

  /// Loading, and the only filter that reads what is loaded, along its rows: each is in a near cache then.
  private func loadRow(_ loading: RowOp, into reader: RowOp) -> (kept: RowOp?, made: RowOp)? {
    guard ending == nil, case .load(let load) = pass(loading), let slot = slot(loading),
      readers[slot].count == 1, case .pass = reader.work,
      case .convolve(let convolve) = pass(reader), convolve.axis == .x, convolve.boxes == nil
    else { return nil }
    var made = reader
    made.work = .filterInput(load)
    return (nil, made)
  }

  /// Weighing, and halving that alone reads it: of parts that the mask covers wholly, or not at all, the
  /// input is halved, or nothing.
  private func weighing(_ weighing: RowOp, into reader: RowOp) -> (kept: RowOp?, made: RowOp)? {
    guard case .weigh(let coverage, let load, _) = weighing.work, let slot = slot(weighing),
      plan.weightedLoad(slot) != nil, readers[slot].count == 1,
      case .pass = reader.work, case .resample = pass(reader)
    else { return nil }
    var (kept, made) = (weighing, reader)
    kept.work = .weigh(coverage, load: load, halving: reader.step)
    made.work = .halveWeighed(weighing.step)
    return (kept, made)
  }

  /// Growing and storing: 8-bit levels are made of the small image's samples, without rounding between.
  private func growing(_ growing: RowOp, into reader: RowOp) -> (kept: RowOp?, made: RowOp)? {
    guard !plan.roundsBetweenSteps, let (slot, store) = onlyStore(growing, reader),
      case .pass = growing.work, store.format.layout == plan.slots[slot].layout
    else { return nil }
    let isFast =
      switch pass(growing) {
      case .resample(let resample):
        resample.isFastStoring(store) || resample.isFastStoring(straight: store)
      case .stencil(let stencil): stencil.isFastStoring(store)
      default: false
      }
    var made = reader
    made.work = .storeGrown(growing.step)
    return isFast ? (nil, made) : nil
  }

  /// A filter along columns and storing: some columns of a band at a time, which stay in a near cache.
  private func filter(_ filter: RowOp, into reader: RowOp) -> (kept: RowOp?, made: RowOp)? {
    guard ending == nil, let (slot, store) = onlyStore(filter, reader),
      case .convolve(let convolve) = pass(filter), convolve.axis == .y, convolve.boxes == nil,
      store.background == nil,
      plan.slots[slot].domain.columns == plan.results[store.result].rect.columns,
      isAlike(slot, store)
    else { return nil }
    var made = reader
    made.work = .storeFiltered(filter.step)
    return (nil, made)
  }

  /// Filling cells and storing: each cell's pixel is stored once and repeated.
  private func cells(_ filling: RowOp, into reader: RowOp) -> (kept: RowOp?, made: RowOp)? {
    guard !plan.roundsBetweenSteps, let (slot, store) = onlyStore(filling, reader),
      case .cellFill = pass(filling), store.background == nil, isAlike(slot, store)
    else { return nil }
    var made = reader
    made.work = .storeCells(filling.step)
    return (nil, made)
  }

  /// The slot of an operation that a store reads and nothing else does.
  private func onlyStore(_ op: RowOp, _ reader: RowOp) -> (slot: Int, store: Store)? {
    guard let slot = slot(op), readers[slot].count == 1, case .pass = reader.work,
      case .store(let store) = pass(reader)
    else { return nil }
    return (slot, store)
  }

  /// True if a slot has as many samples per pixel as what is stored.
  private func isAlike(_ slot: Int, _ store: Store) -> Bool {
    Int16.channels(of: plan.slots[slot].layout) == Int16.channels(of: store.format.layout)
  }
}

extension LoweredPlan: CustomStringConvertible {
  /// The operations for people, one a line.
  package var description: String {
    let lines = ops.compactMap { $0 }.enumerated().map { number, op in
      "op \(number + 1)".padded(to: 10) + line(op)
    }
    let samples = arithmetic == .fixed ? "16-bit fixed point" : "32-bit floats"
    return (["fast      \(samples), \(lines.count) operations"] + lines).joined(separator: "\n")
  }

  private func line(_ op: RowOp) -> String {
    let target = plan.steps[op.step].target.map { "#\($0)" } ?? "result"
    let steps = op.includes.map { "\($0 + 1)" }.joined(separator: ", ")
    return "\(words(op)) → \(target) (step\(op.includes.count > 1 ? "s" : "") \(steps))"
  }

  private func words(_ op: RowOp) -> String {
    let pass = plan.steps[op.step].pass
    switch op.work {
    case .pass: return "\(pass)"
    case .sumInput(let load): return "\(pass) of input \(load.input)'s bytes"
    case .filterInput(let load): return "Load input \(load.input) row by row, \(pass)"
    case .mix: return "\(pass) by outlines"
    case .weigh(_, let load, let halving):
      let loading = load.map { ", loading input \($0.input)" } ?? ""
      return "\(pass) by outlines\(loading)" + (halving == nil ? "" : ", where some is covered")
    case .halveWeighed: return "\(pass), of the input where all is covered"
    case .storeGrown(let step), .storeFiltered(let step), .storeCells(let step):
      return "\(plan.steps[step].pass), \(pass)"
    case .storeMasked(let ending):
      let count = ending.layers.count
      return "\(pass) through \(count == 1 ? "a mask" : "\(count) masks")"
    }
  }
}

extension LoweredPlan {
  /// Returns the plan's fused ending; `nil` if its last steps run one by one.
  ///
  /// - Parameter rows: the result's rows, if no others will be requested.
  func ending(rows: Range<Int>? = nil) -> PlanEnding? {
    ending.map { PlanEnding($0, of: plan, rows: rows) }
  }
}
