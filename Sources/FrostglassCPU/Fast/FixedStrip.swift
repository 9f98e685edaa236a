internal import CKernels
internal import FrostglassCore

/// Makes some rows of one stage's picture, keeping of each picture on the way only its last rows.
struct FixedStrip {
  private let plan: Plan
  /// What is computed when.
  let schedule: RowSchedule
  private let tools: RowTools
  private let inputs: [InputRows]
  private let output: OutputRows
  private let transparent: UnsafePointer<Int16>
  private var pictures: [FixedRows?]

  /// - Parameters:
  ///   - rows: of the stage's target.
  ///   - complete: the pictures that are there in full, the stage's target among them.
  init(
    _ plan: Plan, _ stage: FixedPlan.Stage, rows: Range<Int>, complete: [FixedRows?],
    _ inputs: [InputRows], _ output: OutputRows, _ tools: RowTools
  ) {
    let schedule = RowSchedule(
      plan, target: stage.target, rows: rows, complete: stage.complete,
      rowsPerTurn: Self.rowsPerTurn)
    self.init(plan, schedule, complete: complete, inputs, output, tools)
  }

  /// Rows that a step computes at a time: few enough for those of all steps to stay in a cache.
  static let rowsPerTurn = 8

  init(
    _ plan: Plan, _ schedule: RowSchedule, complete: [FixedRows?], _ inputs: [InputRows],
    _ output: OutputRows, _ tools: RowTools
  ) {
    self.plan = plan
    self.inputs = inputs
    self.output = output
    self.tools = tools
    self.schedule = schedule
    transparent = Self.transparentRow(plan, tools)
    pictures = complete
    for slot in plan.slots.indices where complete[slot] == nil && !schedule.rows[slot].isEmpty {
      let domain = Rect(columns: plan.slots[slot].domain.columns, rows: schedule.rows[slot])
      pictures[slot] = FixedRows(
        domain: domain, layout: plan.slots[slot].layout, capacity: schedule.capacity[slot],
        in: tools.memory)
    }
  }

  /// Makes all rows.
  func run() {
    let programs = programs
    for turn in schedule.turns { programs[turn.step]?(turn.rows) }
  }

  /// What computes each step of the schedule; `nil` where the next step does it on the way.
  var programs: [RowProgram?] { schedule.steps.map { program(for: plan.steps[$0]) } }

  private func program(for step: Step) -> RowProgram? {
    let sources = step.sources.compactMap { source in
      pictures[source.slot].map {
        FixedSource(rows: $0, source: source, transparent: transparent)
      }
    }
    guard let target = step.target else {
      guard case .store(let store) = step.pass else { return nil }
      if let (resample, grown) = growing(into: store, step.sources[0].slot) {
        return resample.fastStoring(grown, store, into: output, tools)
      }
      return store.fast(sources[0], into: output, tools)
    }
    guard let picture = pictures[target] else { return nil }
    switch step.pass {
    case .load(let load):
      return isOnlyHalved(target, load) ? nil : load.fast(inputs[load.input], into: picture, tools)
    case .resample(let resample):
      if let load = loading(step.sources[0].slot), isOnlyHalved(step.sources[0].slot, load) {
        return resample.fastHalving(
          inputs[load.input], step.sources[0], sources[0].rows.domain, into: picture, tools)
      }
      if isOnlyGrown(target) { return nil }
      return resample.fast(sources[0], into: picture, tools)
    case .convolve(let convolve): return convolve.fast(sources[0], into: picture, tools)
    case .colorMatrix(let matrix): return matrix.fast(sources[0], into: picture, tools)
    case .blend(let blend): return blend.fast(sources[0], sources[1], into: picture, tools)
    case .store: return nil
    }
  }

  /// The load that makes a slot.
  private func loading(_ slot: Int) -> Load? {
    for step in plan.steps where step.target == slot {
      if case .load(let load) = step.pass { return load }
    }
    return nil
  }

  /// Whether a loaded picture is 8-bit rows as they are, and read by nothing but halving.
  private func isOnlyHalved(_ slot: Int, _ load: Load) -> Bool {
    let format = plan.inputs[load.input].format
    guard format.depth == .uint8, format.layout == plan.slots[slot].layout,
      !(format.layout == .rgba && load.alpha == .straight)
    else { return false }
    return plan.steps.allSatisfy { step in
      guard step.sources.contains(where: { $0.slot == slot }) else { return true }
      if case .resample(let resample) = step.pass { return resample.halvesBoth }
      return false
    }
  }

  /// The growing that a store can do on the way, with its source.
  private func growing(into store: Store, _ slot: Int) -> (Resample, FixedSource)? {
    for step in plan.steps where step.target == slot && isOnlyGrown(slot) {
      guard case .resample(let resample) = step.pass, let rows = pictures[step.sources[0].slot]
      else { return nil }
      return (
        resample, FixedSource(rows: rows, source: step.sources[0], transparent: transparent)
      )
    }
    return nil
  }

  /// Whether a grown picture is stored as it is and read by nothing else.
  private func isOnlyGrown(_ slot: Int) -> Bool {
    guard plan.slots[slot].layout != .gray, plan.steps.count >= 2,
      case .store(let store) = plan.steps[plan.steps.count - 1].pass,
      store.format.layout == plan.slots[slot].layout
    else { return false }
    let readers = plan.steps.filter { $0.sources.contains { $0.slot == slot } }
    guard readers.count == 1, readers[0].target == nil else { return false }
    return plan.steps.contains { step in
      if step.target == slot, case .resample(let resample) = step.pass {
        return resample.isFastStoring(store)
      }
      return false
    }
  }

  private static func transparentRow(_ plan: Plan, _ tools: RowTools) -> UnsafePointer<Int16> {
    let samples = plan.slots.map { $0.domain.width * 4 }.max() ?? 0
    let row = tools.scratch(samples)
    (row - Int(FG_SLACK)).update(
      repeating: -Int16(FG_FULL), count: samples + 2 * Int(FG_SLACK))
    return UnsafePointer(row)
  }
}
