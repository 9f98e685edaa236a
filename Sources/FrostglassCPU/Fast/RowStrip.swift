internal import CKernels
internal import FrostglassCore

/// Makes some rows of one stage's picture, keeping of each picture on the way only its last rows.
struct RowStrip<Sample: RowSample> {
  let plan: Plan
  /// What is computed when.
  let schedule: RowSchedule
  let tools: RowTools
  let inputs: [InputRows]
  let output: OutputRows
  /// For each slot, its rows; `nil` where it takes no part.
  private(set) var pictures: [PictureRows<Sample>?]
  private let transparent: UnsafePointer<Sample>

  /// - Parameters:
  ///   - rows: of the stage's target.
  ///   - complete: the pictures that are there in full, the stage's target among them.
  init(
    _ plan: Plan, _ stage: StagedPlan.Stage, rows: Range<Int>, complete: [PictureRows<Sample>?],
    _ inputs: [InputRows], _ output: OutputRows, _ tools: RowTools
  ) {
    let schedule = RowSchedule(
      plan, target: stage.target, rows: rows, complete: stage.complete,
      rowsPerTurn: RowSchedule.rowsPerTurn)
    self.init(plan, schedule, complete: complete, inputs, output, tools)
  }

  /// - Parameters:
  ///   - complete: pictures whose rows are there or shared with other strips.
  ///   - isShared: whether other strips get the pictures of this one.
  init(
    _ plan: Plan, _ schedule: RowSchedule, complete: [PictureRows<Sample>?],
    isShared: Bool = false, _ inputs: [InputRows], _ output: OutputRows, _ tools: RowTools
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
      pictures[slot] = PictureRows(
        domain: domain, layout: plan.slots[slot].layout, capacity: schedule.capacity[slot],
        isShared: isShared, in: tools.memory)
    }
  }

  /// Makes all rows.
  func run() {
    let programs = programs
    for turn in schedule.turns { programs[turn.step]?(turn.rows) }
  }

  /// What computes each step of the schedule; `nil` where the next step does it on the way.
  var programs: [RowProgram?] {
    schedule.steps.map { Sample.program(for: plan.steps[$0], of: self) }
  }

  /// The pictures that a step reads. For one that does not show in this strip and is not there,
  /// another stands in, which is not read.
  func sources(of step: Step) -> [PictureSource<Sample>] {
    let present = step.sources.compactMap { pictures[$0.slot] }.first
    return step.sources.compactMap { source in
      (pictures[source.slot] ?? present).map {
        PictureSource(rows: $0, source: source, transparent: transparent)
      }
    }
  }

  private static func transparentRow(_ plan: Plan, _ tools: RowTools) -> UnsafePointer<Sample> {
    let samples = plan.slots.map { $0.domain.width * 4 }.max() ?? 0
    let row: UnsafeMutablePointer<Sample> = tools.scratch(samples)
    (row - Int(FG_SLACK)).update(repeating: .transparent, count: samples + 2 * Int(FG_SLACK))
    return UnsafePointer(row)
  }
}
