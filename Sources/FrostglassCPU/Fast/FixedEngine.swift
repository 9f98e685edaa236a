internal import CKernels
internal import FrostglassCore
internal import Synchronization

/// Runs plans in fixed point, and keeps threads and memory between them.
final class FixedEngine: Sendable {
  let kernels: fg_row_kernels
  private let workers: Workers
  /// Memory that no run is using: per run one for each worker, and one for whole pictures.
  private let idle = Mutex<[[RowMemory]]>([])

  init(threads: Int, _ instructions: InstructionSet) {
    workers = Workers(count: threads)
    kernels =
      switch instructions {
      case .portable: fg_portable_kernels().pointee
      case .baseline: fg_baseline_kernels().pointee
      case .best: fg_best_kernels().pointee
      }
  }

  /// - Parameter result: has the plan's size and format, and no gaps between rows.
  func run(_ fixed: FixedPlan, _ images: [Image], into result: inout Image) {
    let bytesPerRow = result.bytesPerRow
    let rect = fixed.plan.result.rect
    let format = fixed.plan.result.format
    withRows(of: images) { inputs in
      result.bytes.withUnsafeMutableBytes { bytes in
        guard let start = bytes.baseAddress else { return }
        let output = OutputRows(
          rect: rect, format: format, capacity: rect.height, bytesPerRow: bytesPerRow,
          bytes: start)
        withMemory { run(fixed, inputs, output, $0) }
      }
    }
  }

  private func run(
    _ fixed: FixedPlan, _ inputs: [InputRows], _ output: OutputRows, _ memory: [RowMemory]
  ) {
    let plan = fixed.plan
    var complete = [FixedRows?](repeating: nil, count: plan.slots.count)
    for stage in fixed.stages {
      let domain = stage.target.map { plan.slots[$0].domain } ?? plan.result.rect
      if let target = stage.target {
        complete[target] = FixedRows(
          domain: domain, layout: plan.slots[target].layout, capacity: domain.height,
          isShared: true, in: memory[workers.count])
      }
      let strips = domain.rows.strips(workers.count)
      let pictures = complete
      workers.run(strips.count) { worker, strip in
        let tools = RowTools(kernels: kernels, memory: memory[worker])
        tools.memory.reset()
        FixedStrip(
          plan, stage, rows: strips[strip], complete: pictures, inputs, output, tools
        ).run()
      }
    }
  }

  private func withMemory(_ body: ([RowMemory]) -> Void) {
    let memory =
      idle.withLock { $0.popLast() } ?? (0...workers.count).map { _ in RowMemory() }
    for part in memory { part.reset() }
    body(memory)
    idle.withLock { $0.append(memory) }
  }

  private func withRows(
    of images: [Image], _ rows: [InputRows] = [], _ body: ([InputRows]) -> Void
  ) {
    guard rows.count < images.count else { return body(rows) }
    let image = images[rows.count]
    image.bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      withRows(of: images, rows + [InputRows(image, start)], body)
    }
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
