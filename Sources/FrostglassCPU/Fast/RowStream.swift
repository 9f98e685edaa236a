internal import CKernels
public import FrostglassCore

/// Runs a plan on a picture whose rows arrive one after another, and gives the result's rows one
/// after another: of neither picture more than some rows is ever in memory.
///
/// Of a Gaussian, the small picture's last rows and a few of the full size are kept. Chains that need
/// the original again keep as many of its rows as the blur lags behind. The bytes are those of
/// `FastBackend`.
public final class RowStream {
  /// Reads input rows, each once and from the top, to where they are needed; rows have no gaps.
  public typealias Reading = (_ rows: Range<Int>, _ target: UnsafeMutableRawPointer) throws -> Void

  public let plan: Plan
  private let read: Reading
  private let memory = RowMemory()
  private let input: InputRows
  private let inputBytes: UnsafeMutableRawPointer
  private let output: OutputRows
  private let programs: [RowProgram?]
  private let schedule: RowSchedule
  /// Turns that were taken.
  private var turnsTaken = 0
  private var rowsRead = 0
  private var made: Range<Int>

  /// - Parameters:
  ///   - plan: a valid plan with one input.
  ///   - read: called while result rows are computed.
  /// - Returns: `nil` when the plan has several inputs, or reads its one in several ways, as a scene
  ///   may that shows a picture twice: rows that came would have to be kept for the last of them.
  public init?(_ plan: Plan, read: @escaping Reading) {
    let isValid = (try? plan.validate(for: .none)) != nil
    guard isValid, plan.inputs.count == 1, plan.loads <= 1 else { return nil }
    self.plan = plan
    self.read = read
    let rect = plan.result.rect
    let schedule = RowSchedule(
      plan, target: nil, rows: rect.rows, complete: [], rowsPerTurn: RowSchedule.rowsPerTurn)
    // Loaded rows stay as long as the slot they become, in case a step reads them directly.
    let loads = schedule.steps.indices.filter {
      if case .load = plan.steps[schedule.steps[$0]].pass { true } else { false }
    }
    let capacity =
      loads.map { schedule.capacity[plan.steps[schedule.steps[$0]].target ?? 0] }
      .max() ?? 1
    let size = plan.inputs[0].size
    let bytesPerRow = size.width * plan.inputs[0].format.bytesPerPixel
    inputBytes = UnsafeMutableRawPointer(memory.take(bytesPerRow * capacity) as Bytes)
    input = InputRows(
      format: plan.inputs[0].format, width: size.width, height: size.height,
      capacity: capacity, bytesPerRow: bytesPerRow, bytes: inputBytes)
    let outputRow = rect.width * plan.result.format.bytesPerPixel
    let rows = RowSchedule.rowsPerTurn
    output = OutputRows(
      rect: rect, format: plan.result.format, capacity: rows, bytesPerRow: outputRow,
      bytes: UnsafeMutableRawPointer(memory.take(outputRow * rows) as Bytes))
    let tools = RowTools(kernels: InstructionSet.best.kernels, memory: memory)
    programs =
      switch StagedPlan(plan, strips: 1).arithmetic {
      case .fixed: RowStrip<Int16>(plan, schedule, input, output, tools).programs
      case .float: RowStrip<Float>(plan, schedule, input, output, tools).programs
      }
    self.schedule = schedule
    made = rect.y..<rect.y
  }

  private typealias Bytes = UnsafeMutablePointer<UInt8>

  /// Copies the next rows of the result, without gaps.
  ///
  /// - Parameter rows: how many; no more than are left.
  /// - Throws: what reading throws; the stream is of no use then.
  public func next(_ rows: Int, into target: UnsafeMutableRawPointer) throws {
    var place = target
    var left = rows
    while left > 0 {
      if made.isEmpty { try makeMore() }
      precondition(!made.isEmpty, "more rows are asked for than the result has")
      place.copyMemory(from: output.row(made.lowerBound), byteCount: output.bytesPerRow)
      place += output.bytesPerRow
      made.removeFirst()
      left -= 1
    }
  }

  /// Takes turns until there are new rows of the result.
  private func makeMore() throws {
    while made.isEmpty, turnsTaken < schedule.turns.count {
      let turn = schedule.turns[turnsTaken]
      let step = plan.steps[schedule.steps[turn.step]]
      if case .load = step.pass { try readRows(upTo: turn.rows.upperBound) }
      programs[turn.step]?(turn.rows)
      if step.target == nil { made = turn.rows }
      turnsTaken += 1
    }
  }

  private func readRows(upTo end: Int) throws {
    while rowsRead < end {
      // As many at once as lie behind each other.
      let place = rowsRead % input.capacity
      let rows = rowsRead..<min(end, rowsRead + input.capacity - place)
      try read(rows, inputBytes + place * input.bytesPerRow)
      rowsRead = rows.upperBound
    }
  }
}

extension RowStrip {
  /// A strip that starts from the rows of one input.
  fileprivate init(
    _ plan: Plan, _ schedule: RowSchedule, _ input: InputRows, _ output: OutputRows,
    _ tools: RowTools
  ) {
    let none = [PictureRows<Sample>?](repeating: nil, count: plan.slots.count)
    self.init(plan, schedule, complete: none, [input], output, tools)
  }
}

extension Plan {
  /// How many steps load an input.
  fileprivate var loads: Int {
    steps.count { step in if case .load = step.pass { true } else { false } }
  }
}
