internal import CKernels
internal import FrostglassCore

// Boxes in fixed point: running sums, exact, each mean rounded once.
extension Convolve {
  /// Means along the axis.
  func sum(
    _ boxes: BoxPower, _ source: PictureSource<Int16>, into target: PictureRows<Int16>,
    _ tools: RowTools
  ) -> RowProgram {
    switch axis {
    case .x: sumAlongRows(boxes, source, target, tools)
    case .y:
      BoxColumns(boxes, source, target, tools).program
    }
  }

  /// Four rows at a time, as two pixels are a quarter of the widest vector.
  private func sumAlongRows(
    _ boxes: BoxPower, _ source: PictureSource<Int16>, _ target: PictureRows<Int16>,
    _ tools: RowTools
  ) -> RowProgram {
    let (width, order, scale) = (boxes.width, boxes.order, boxes.scale)
    let kernels = tools.kernels
    let columns = target.domain.columns
    let wanted = columns.expanded(by: radius)
    guard target.channels == 4 else {
      let extended = source.extended(wanted, tools)
      return { rows in
        for y in rows {
          kernels.sum_columns_gray(
            extended.row(y), width, order, scale, target.row(y), columns.count)
        }
      }
    }
    let extended = (0..<4).map { _ in source.extended(wanted, tools) }
    let sources: UnsafeMutablePointer<UnsafePointer<Int16>> = tools.memory.take(4)
    let targets: UnsafeMutablePointer<UnsafeMutablePointer<Int16>> = tools.memory.take(4)
    return { rows in
      for y in stride(from: rows.lowerBound, to: rows.upperBound, by: 4) {
        for place in 0..<4 {
          // Where there are fewer, the first is made again.
          let isThere = y + place < rows.upperBound
          sources[place] = isThere ? extended[place].row(y + place) : sources[0]
          targets[place] = isThere ? target.row(y + place) : targets[0]
        }
        kernels.sum_columns(sources, width, order, scale, targets, columns.count)
      }
    }
  }
}

/// Sums per column that go on from row to row.
private final class BoxColumns {
  private let boxes: BoxPower
  private let source: PictureSource<Int16>
  private let target: PictureRows<Int16>
  private let kernels: fg_row_kernels
  private let offset: Int
  /// Rows that are made at once, at most.
  private let most: Int
  private let state: UnsafeMutablePointer<Int32>
  /// A row of samples that add nothing, and one that nobody reads.
  private let nothing: UnsafeMutablePointer<Int16>
  private let unread: UnsafeMutablePointer<Int16>
  /// For each row that is made, those that its sums take in, and the one that leaves them after it.
  private let rows: UnsafeMutablePointer<UnsafePointer<Int16>?>
  private let targets: UnsafeMutablePointer<UnsafeMutablePointer<Int16>?>
  /// The row that the sums are ready for.
  private var next: Int?

  init(
    _ boxes: BoxPower, _ source: PictureSource<Int16>, _ target: PictureRows<Int16>,
    _ tools: RowTools
  ) {
    self.boxes = boxes
    self.source = source
    self.target = target
    kernels = tools.kernels
    offset = source.offset(of: target.domain.columns)
    most = RowSchedule.rowsPerBand * (tools.workers?.count ?? 1)
    state = tools.memory.take(boxes.order * (target.rowLength + Int(FG_SLACK)))
    nothing = tools.scratch(target.rowLength, of: 0)
    unread = tools.scratch(target.rowLength)
    rows = tools.memory.take(most * (boxes.order + 1))
    targets = tools.memory.take(most)
  }

  var program: RowProgram { { self.make($0) } }

  private func make(_ wanted: Range<Int>) {
    precondition(wanted.count <= most, "more rows than a band has")
    if next != wanted.lowerBound { begin(wanted.lowerBound) }
    let radius = boxes.radius
    for (place, y) in wanted.enumerated() {
      take(place, ending: y + radius, from: y - radius)
      rows[place * (boxes.order + 1) + boxes.order] = source.row(y - radius) + offset
      targets[place] = target.row(y)
    }
    sum(wanted.count)
    next = wanted.upperBound
  }

  /// Takes in what the first row sees but for the last; what comes before counts as nothing.
  private func begin(_ y: Int) {
    state.update(repeating: 0, count: boxes.order * (target.rowLength + Int(FG_SLACK)))
    let radius = boxes.radius
    for start in stride(from: y - radius, to: y + radius, by: most) {
      let part = start..<min(start + most, y + radius)
      for (place, row) in part.enumerated() {
        take(place, ending: row, from: y - radius)
        rows[place * (boxes.order + 1) + boxes.order] = UnsafePointer(nothing)
        targets[place] = unread
      }
      sum(part.count)
    }
  }

  /// Notes what comes with a row.
  private func take(_ place: Int, ending row: Int, from first: Int) {
    for step in 0..<boxes.order {
      let y = row - step * boxes.width
      rows[place * (boxes.order + 1) + step] =
        y < first ? UnsafePointer(nothing) : source.row(y) + offset
    }
  }

  private func sum(_ count: Int) {
    kernels.sum_rows(
      state, boxes.order, rows, count, boxes.scale, targets, target.rowLength)
  }
}
