internal import CKernels
internal import FrostglassCore
internal import Synchronization

/// Runs plans row by row, and keeps threads and memory between them.
final class RowEngine: Sendable {
  let kernels: fg_row_kernels
  /// Whether every pass runs on its reference kernel, which takes floats.
  let usesReference: Bool
  /// What guarded memory is filled with; `nil` where memory is not guarded.
  let fill: UInt8?
  let workers: Workers
  /// Memory that no run is using: per run one for each worker, and one for whole pictures.
  private let idle = Mutex<[[RowMemory]]>([])

  init(
    threads: Int, _ instructions: InstructionSet, usesReference: Bool, guardedWith fill: UInt8?
  ) {
    self.usesReference = usesReference
    self.fill = fill
    workers = Workers(count: threads)
    kernels = instructions.kernels
  }

  /// - Parameter result: has the plan's size and format, and no gaps between rows.
  func run(_ plan: Plan, _ images: [Image], into result: inout Image) {
    let staged = StagedPlan(plan, strips: workers.count, allowsFixed: !usesReference)
    let bytesPerRow = result.bytesPerRow
    withRows(of: images) { inputs in
      result.bytes.withUnsafeMutableBytes { bytes in
        guard let start = bytes.baseAddress else { return }
        let output = OutputRows(plan.result, bytesPerRow: bytesPerRow, bytes: start)
        withMemory { memory in
          guard let fill else { return run(staged, inputs, output, memory) }
          let outside = RowMemory(guardedWith: fill)
          let copy = OutputRows(plan.result, in: outside)
          run(staged, inputs.map { InputRows(copy: $0, in: outside) }, copy, memory)
          copy.copy(to: output)
        }
      }
    }
  }

  private func run(
    _ staged: StagedPlan, _ inputs: [InputRows], _ output: OutputRows, _ memory: [RowMemory]
  ) {
    switch staged.arithmetic {
    case .fixed: run(staged, Int16.self, inputs, output, memory)
    case .float: run(staged, Float.self, inputs, output, memory)
    }
  }

  private func run<Sample: RowSample>(
    _ staged: StagedPlan, _ samples: Sample.Type, _ inputs: [InputRows], _ output: OutputRows,
    _ memory: [RowMemory]
  ) {
    let plan = staged.plan
    var complete = [PictureRows<Sample>?](repeating: nil, count: plan.slots.count)
    for stage in staged.stages {
      if let target = stage.target {
        let domain = plan.slots[target].domain
        complete[target] = PictureRows(
          domain: domain, layout: plan.slots[target].layout, capacity: domain.height,
          isShared: true, in: memory[workers.count])
      }
      let strips = staged.strips(of: stage)
      let pictures = complete
      workers.run(strips.count) { worker, strip in
        let tools = RowTools(
          kernels: kernels, usesReference: usesReference, memory: memory[worker])
        tools.memory.reset()
        RowStrip(
          plan, stage, rows: strips[strip], complete: pictures, inputs, output, tools
        ).run()
      }
    }
  }

  private func withMemory(_ body: ([RowMemory]) -> Void) {
    let memory =
      idle.withLock { $0.popLast() }
      ?? (0...workers.count).map { _ in RowMemory(guardedWith: fill) }
    for part in memory { part.reset() }
    body(memory)
    idle.withLock { $0.append(memory) }
  }

  private func withRows(of images: [Image], _ body: ([InputRows]) -> Void) {
    var rows: [InputRows] = []
    rows.reserveCapacity(images.count)
    withRows(of: images, &rows, body)
  }

  private func withRows(
    of images: [Image], _ rows: inout [InputRows], _ body: ([InputRows]) -> Void
  ) {
    guard rows.count < images.count else { return body(rows) }
    let image = images[rows.count]
    image.bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      rows.append(InputRows(image, start))
      withRows(of: images, &rows, body)
    }
  }
}
