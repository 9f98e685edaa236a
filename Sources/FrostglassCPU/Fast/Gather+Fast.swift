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
    let add = adding(source, lines, length, tools)
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
          add(
            part, some, read.lowerBound, sums, part.upperBound + part.count <= columns.upperBound)
          for (index, y) in some.enumerated() {
            tools.kernels.gathered(
              sums + length * index, target.row(y) + channels * left, channels * part.count)
          }
        }
      }
    }
  }

  /// Adds what all views show of some pixels to sums of theirs: the columns, the rows, which row the lines
  /// begin with, the sums, and whether as many columns to the right come next.
  private typealias Adding = (
    Range<Int>, Range<Int>, Int, UnsafeMutablePointer<Float>, Bool
  ) -> Void

  /// In whole numbers where all views count the same, a few views at a time.
  private func adding(
    _ source: PictureSource<Int16>, _ lines: UnsafePointer<UnsafePointer<Int16>?>, _ length: Int,
    _ tools: RowTools
  ) -> Adding {
    let (kernels, channels) = (tools.kernels, source.rows.channels)
    guard channels == 4, countsEvenly else {
      let kernel: GatheredPixels<Float>.Kernel =
        channels == 1
        ? { kernels.gather_gray($0, $1, $2, $3, $4, $5, $6, $7, $8, $9) }
        : { kernels.gather($0, $1, $2, $3, $4, $5, $6, $7, $8, $9) }
      let pixels = GatheredPixels(source, views, lines, tools, kernel)
      return { part, rows, first, sums, isFollowed in
        pixels.add(part, rows, from: first, to: sums, length, isFollowed: isFollowed)
      }
    }
    let groups = stride(from: 0, to: views.count, by: Self.viewsAtOnce).map { first in
      GatheredPixels<Int32>(
        source, Array(views[first..<min(first + Self.viewsAtOnce, views.count)]), lines, tools
      ) { kernels.gather_even($0, $1, $2, $3, $4, $5, $6, $7, $8, $9) }
    }
    // Kernels take whole vectors.
    let room = length * RowSchedule.rowsPerBand + 16
    let whole: UnsafeMutablePointer<Int32> = tools.memory.take(room)
    let scale = views[0].weight / Float(Self.wholeUnit)
    return { part, rows, first, sums, isFollowed in
      for pixels in groups {
        whole.update(repeating: 0, count: length * rows.count)
        pixels.add(part, rows, from: first, to: whole, length, isFollowed: isFollowed)
        for index in 0..<rows.count {
          kernels.gathered_even(
            whole + length * index, scale, sums + length * index, channels * part.count)
        }
      }
    }
  }

  /// So many whole sums are a unit, and of so many views they fit 32 bits.
  private static let (wholeUnit, viewsAtOnce) = (16384, 8)

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
