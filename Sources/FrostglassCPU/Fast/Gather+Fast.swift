internal import CKernels
internal import FrostglassCore

extension Gather {
  /// Adds up what the views show, some pixels of a few rows at a time.
  ///
  /// - Returns: `nil` for gray pictures that become colors, which only the reference kernel makes.
  func fast(
    _ source: PictureSource<Int16>, into target: PictureRows<Int16>, _ tools: RowTools
  ) -> RowProgram? {
    let channels = target.channels
    guard source.rows.channels == channels else { return nil }
    let columns = target.domain.columns
    let length = channels * Self.pixelsAtOnce
    let sums: UnsafeMutablePointer<Float> = tools.scratch(length * RowSchedule.rowsPerBand)
    let lines: UnsafeMutablePointer<UnsafePointer<Int16>?> = tools.memory.take(
      mostRowsRead(
        for: target.domain, atOnce: RowSchedule.rowsPerBand * (tools.workers?.count ?? 1)))
    let pixels = GatheredPixels(source, views, lines, tools)
    return { rows in
      let read = rowsRead(for: rows, columns)
      for (place, y) in read.enumerated() { lines[place] = source.row(y) }
      // Kernels may load from one row more than they use.
      lines[read.count] = lines[read.count - 1]
      // Column by column of blocks, so that what is read for one row is still near for the next.
      for left in stride(from: 0, to: columns.count, by: Self.pixelsAtOnce) {
        if tools.current.isCancelled { return }
        let first = columns.lowerBound + left
        let part = first..<min(first + Self.pixelsAtOnce, columns.upperBound)
        for top in stride(from: rows.lowerBound, to: rows.upperBound, by: RowSchedule.rowsPerBand) {
          let some = top..<min(top + RowSchedule.rowsPerBand, rows.upperBound)
          sums.update(repeating: 0, count: length * some.count)
          pixels.add(
            part, some, from: read.lowerBound, to: sums, length,
            isFollowed: part.upperBound + part.count <= columns.upperBound)
          for (index, y) in some.enumerated() {
            tools.kernels.gathered(
              sums + length * index, target.row(y) + channels * left, channels * part.count)
          }
        }
      }
    }
  }

  /// The rows that all views read for some of the target's.
  private func rowsRead(for rows: Range<Int>, _ columns: Range<Int>) -> Range<Int> {
    guard let first = views.first?.map.rowsRead(for: rows, columns) else { return 0..<1 }
    return views.dropFirst().reduce(first) { read, view in
      let own = view.map.rowsRead(for: rows, columns)
      return min(read.lowerBound, own.lowerBound)..<max(read.upperBound, own.upperBound)
    }
  }

  /// How many rows are read for so many of the target's at most, and one.
  private func mostRowsRead(for domain: Rect, atOnce count: Int) -> Int {
    // How far views lie apart is least somewhere between the first row and the last.
    let (first, last) = (domain.y, domain.rows.upperBound)
    let ends = [
      first..<min(first + count, last), max(last - count, first)..<last,
    ]
    return (ends.map { rowsRead(for: $0, domain.columns).count }.max() ?? 0) + 3
  }

  /// So few that what is read for them stays in the nearest cache from row to row.
  private static let pixelsAtOnce = 128
}
