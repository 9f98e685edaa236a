internal import CKernels
internal import FrostglassCore

extension Gather {
  /// Adds up what the views show, some pixels of a row at a time.
  ///
  /// - Returns: `nil` for gray pictures that become colors, which only the reference kernel makes.
  func fast(
    _ source: PictureSource<Int16>, into target: PictureRows<Int16>, _ tools: RowTools
  ) -> RowProgram? {
    let channels = target.channels
    guard source.rows.channels == channels else { return nil }
    let columns = target.domain.columns
    let pixels = GatheredPixels(source, tools)
    let sums: UnsafeMutablePointer<Float> = tools.scratch(channels * Self.pixelsAtOnce)
    let lines: UnsafeMutablePointer<UnsafePointer<Int16>?> = tools.memory.take(
      mostRowsRead(
        for: target.domain, atOnce: RowSchedule.rowsPerBand * (tools.workers?.count ?? 1)))
    return { rows in
      let read = rowsRead(for: rows, columns)
      for (place, y) in read.enumerated() { lines[place] = source.row(y) }
      // Column by column of blocks, so that what is read for one row is still near for the next.
      for left in stride(from: 0, to: columns.count, by: Self.pixelsAtOnce) {
        if tools.current.isCancelled { return }
        let first = columns.lowerBound + left
        let part = first..<min(first + Self.pixelsAtOnce, columns.upperBound)
        for y in rows {
          sums.update(repeating: 0, count: channels * part.count)
          for view in views {
            if pixels.areThere(view.map, part, y) {
              pixels.add(view, part, y, lines, read.lowerBound, to: sums)
            } else {
              pixels.addEach(view, part, y, lines, read.lowerBound, to: sums)
            }
          }
          tools.kernels.gathered(
            sums, target.row(y) + channels * left, channels * part.count)
        }
      }
    }
  }

  /// The rows that all views read for some of the target's.
  private func rowsRead(for rows: Range<Int>, _ columns: Range<Int>) -> Range<Int> {
    var (first, last) = (Int.max, Int.min)
    for view in views {
      // The corners are enough, as places go one way along each axis.
      for corner in 0..<4 {
        let x = corner & 1 == 0 ? columns.lowerBound : columns.upperBound - 1
        let y = corner & 2 == 0 ? rows.lowerBound : rows.upperBound - 1
        let row = view.map.position(x, y).y >> AffineMap.positionBits
        (first, last) = (min(first, row), max(last, row))
      }
    }
    return views.isEmpty ? 0..<0 : first..<last + 2
  }

  /// How many rows are read for so many of the target's at most.
  private func mostRowsRead(for domain: Rect, atOnce count: Int) -> Int {
    // How far views lie apart is least somewhere between the first row and the last.
    let (first, last) = (domain.y, domain.rows.upperBound)
    let ends = [
      first..<min(first + count, last), max(last - count, first)..<last,
    ]
    return (ends.map { rowsRead(for: $0, domain.columns).count }.max() ?? 0) + 2
  }

  /// So few that the sums stay in the nearest cache while the views are gone through.
  private static let pixelsAtOnce = 128
}

/// A source's pixels, as views of it are added up.
private struct GatheredPixels {
  private let source: PictureSource<Int16>
  private let columns: Range<Int>
  /// Columns that stand for themselves, and whose right neighbors do.
  private let plain: Range<Int>
  private let channels: Int
  private let kernels: fg_row_kernels
  /// A pixel and its right neighbor from each of two rows, and where these rows begin.
  private let corners: UnsafeMutablePointer<Int16>
  private let cornerRows: UnsafeMutablePointer<UnsafePointer<Int16>?>

  init(_ source: PictureSource<Int16>, _ tools: RowTools) {
    self.source = source
    channels = source.rows.channels
    kernels = tools.kernels
    let columns = source.rows.domain.columns
    self.columns = columns
    let inside = source.source.x.map { columns.clamped(to: $0.range) } ?? columns
    plain = inside.lowerBound..<max(inside.lowerBound, inside.upperBound - 1)
    corners = tools.scratch(16)
    cornerRows = tools.memory.take(2)
    cornerRows[0] = UnsafePointer(corners)
    cornerRows[1] = UnsafePointer(corners + 8)
  }

  /// Whether all that a view shows of some pixels is there. What it reads goes one way along a row.
  func areThere(_ map: AffineMap, _ part: Range<Int>, _ y: Int) -> Bool {
    plain.contains(map.position(part.lowerBound, y).x >> AffineMap.positionBits)
      && plain.contains(map.position(part.upperBound - 1, y).x >> AffineMap.positionBits)
  }

  /// Adds pixels that are all there.
  func add(
    _ view: Gather.View, _ part: Range<Int>, _ y: Int,
    _ lines: UnsafePointer<UnsafePointer<Int16>?>, _ firstLine: Int,
    to sums: UnsafeMutablePointer<Float>
  ) {
    let (x, map) = (part.lowerBound, view.map)
    let (column, row) = (Int64(columns.lowerBound - x), Int64(firstLine - y))
    let (left, right) = (Int64(map.xx * x + map.xy * y + map.x0), Int64(map.xx))
    let (top, down) = (Int64(map.yx * x + map.yy * y + map.y0), Int64(map.yx))
    if channels == 1 {
      kernels.gather_gray(
        lines, column, row, left, right, top, down, view.weight, sums, part.count)
    } else {
      kernels.gather(lines, column, row, left, right, top, down, view.weight, sums, part.count)
    }
  }

  /// Adds pixels of which some lie beyond the edge, one by one and by the same operations.
  func addEach(
    _ view: Gather.View, _ part: Range<Int>, _ y: Int,
    _ lines: UnsafePointer<UnsafePointer<Int16>?>, _ firstLine: Int,
    to sums: UnsafeMutablePointer<Float>
  ) {
    let bits = AffineMap.positionBits
    let fractions = (1 << bits) - 1
    for (index, x) in part.enumerated() {
      let place = view.map.position(x, y)
      for row in 0..<2 {
        guard let line = lines[(place.y >> bits) + row - firstLine] else { continue }
        for column in 0..<2 {
          copy(line, (place.x >> bits) + column, to: corners + 8 * row + channels * column)
        }
      }
      // A vector may be several pixels.
      let next = UnsafeMutableRawPointer(sums + channels * (index + 1))
      let kept = next.loadUnaligned(as: SIMD8<Float>.self)
      let (across, down) = (
        Int64((place.x & fractions) << bits), Int64((place.y & fractions) << bits)
      )
      let sum = sums + channels * index
      if channels == 1 {
        kernels.gather_gray(cornerRows, 0, 0, across, 0, down, 0, view.weight, sum, 1)
      } else {
        kernels.gather(cornerRows, 0, 0, across, 0, down, 0, view.weight, sum, 1)
      }
      next.storeBytes(of: kept, as: SIMD8<Float>.self)
    }
  }

  private func copy(
    _ line: UnsafePointer<Int16>, _ x: Int, to target: UnsafeMutablePointer<Int16>
  ) {
    var column = x
    if let edge = source.source.x {
      guard let resolved = edge.mode.resolve(x, in: edge.range) else {
        return target.update(repeating: .transparent, count: channels)
      }
      column = resolved
    }
    target.update(from: line + channels * (column - columns.lowerBound), count: channels)
  }
}
