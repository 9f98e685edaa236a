internal import FrostglassCore

extension Stencil {
  /// Adds the taps of each row of offsets in turn, each to a whole row of the target.
  func reference(_ source: SourceRows, into slot: Slot) -> WorkingImage {
    var picture = WorkingImage(slot)
    let columns = slot.domain.columns
    let read = sourceRect(for: slot.domain).columns
    let indices = source.indices(of: read)
    let rows = tapRows
    var gathered = [Float](repeating: 0, count: indices.count * source.picture.channels)
    picture.fillRows { y, target in
      let period = floorDivide(y, phases)
      for (dy, taps) in rows[y - period * phases] {
        gathered.withUnsafeMutableBufferPointer { gathered in
          source.withRow(period * stride + dy) { source.gather($0, indices, into: gathered) }
          let row = UnsafeBufferPointer(gathered)
          for tap in taps { add(tap, of: row, from: read.lowerBound, to: target, columns) }
        }
      }
    }
    return picture
  }

  /// A tap with the phase along x that it belongs to.
  private struct RowTap {
    var phase: Int
    var dx: Int
    var weight: Float
  }

  /// For each phase along y, its taps by row. Taps are kept row by row, so their order stays.
  private var tapRows: [[(dy: Int, taps: [RowTap])]] {
    (0..<phases).map { py in
      let lists = taps[py * phases..<(py + 1) * phases].enumerated()
      let offsets = Set(lists.flatMap { $1.map(\.dy) }).sorted()
      return offsets.map { dy in
        let taps = lists.flatMap { phase, list in
          list.filter { $0.dy == dy }.map { RowTap(phase: phase, dx: $0.dx, weight: $0.weight) }
        }
        return (dy, taps)
      }
    }
  }

  private func add(
    _ tap: RowTap, of row: UnsafeBufferPointer<Float>, from low: Int,
    to target: UnsafeMutableBufferPointer<Float>, _ columns: Range<Int>
  ) {
    let channels = target.count / columns.count
    if phases == 1 && stride == 1 {
      let start = (columns.lowerBound + tap.dx - low) * channels
      for index in target.indices { target[index] += tap.weight * row[start + index] }
      return
    }
    let first = columns.lowerBound + floorModulo(tap.phase - columns.lowerBound, phases)
    for column in Swift.stride(from: first, to: columns.upperBound, by: phases) {
      let start = (floorDivide(column, phases) * stride + tap.dx - low) * channels
      let place = (column - columns.lowerBound) * channels
      for channel in 0..<channels {
        target[place + channel] += tap.weight * row[start + channel]
      }
    }
  }
}
