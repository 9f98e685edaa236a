internal import CKernels
internal import FrostglassCore

extension Gather {
  /// Adds up what the views show, some pixels of a row at a time.
  ///
  /// - Returns: `nil` for gray pictures, which only the reference kernel makes.
  func fast(
    _ source: PictureSource<Int16>, into target: PictureRows<Int16>, _ tools: RowTools
  ) -> RowProgram? {
    guard target.channels == 4, source.rows.channels == 4 else { return nil }
    let columns = target.domain.columns
    let pixels = GatheredPixels(source, tools)
    let sums: UnsafeMutablePointer<Float> = tools.scratch(4 * Self.pixelsAtOnce)
    return { rows in
      let read = sourceRect(for: Rect(columns: columns, rows: rows)).rows
      let lines: [UnsafePointer<Int16>?] = read.map { source.row($0) }
      lines.withUnsafeBufferPointer { lines in
        guard let lines = lines.baseAddress else { return }
        for y in rows {
          if tools.current.isCancelled { return }
          for left in stride(from: 0, to: columns.count, by: Self.pixelsAtOnce) {
            let first = columns.lowerBound + left
            let part = first..<min(first + Self.pixelsAtOnce, columns.upperBound)
            sums.update(repeating: 0, count: 4 * part.count)
            for view in views {
              if pixels.areThere(view.map, part, y) {
                pixels.add(view, part, y, lines, read.lowerBound, to: sums)
              } else {
                pixels.addEach(view, part, y, lines, read.lowerBound, to: sums)
              }
            }
            tools.kernels.gathered(
              sums, target.row(y) + 4 * left, 4 * part.count)
          }
        }
      }
    }
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
  private let kernels: fg_row_kernels
  /// A pixel and its right neighbor from each of two rows, and where these rows begin.
  private let corners: UnsafeMutablePointer<Int16>
  private let cornerRows: UnsafeMutablePointer<UnsafePointer<Int16>?>

  init(_ source: PictureSource<Int16>, _ tools: RowTools) {
    self.source = source
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
    [part.lowerBound, part.upperBound - 1].allSatisfy { x in
      plain.contains(map.position(x, y).x >> AffineMap.positionBits)
    }
  }

  /// Adds pixels that are all there.
  func add(
    _ view: Gather.View, _ part: Range<Int>, _ y: Int,
    _ lines: UnsafePointer<UnsafePointer<Int16>?>, _ firstLine: Int,
    to sums: UnsafeMutablePointer<Float>
  ) {
    let (x, map) = (part.lowerBound, view.map)
    kernels.gather(
      lines, Int64(columns.lowerBound - x), Int64(firstLine - y),
      Int64(map.xx * x + map.xy * y + map.x0), Int64(map.xx),
      Int64(map.yx * x + map.yy * y + map.y0), Int64(map.yx), view.weight, sums, part.count)
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
          copy(line, (place.x >> bits) + column, to: corners + 8 * row + 4 * column)
        }
      }
      // A vector may be two pixels.
      let next = sums + 4 * (index + 1)
      let kept = SIMD4(next[0], next[1], next[2], next[3])
      kernels.gather(
        cornerRows, 0, 0, Int64((place.x & fractions) << bits), 0,
        Int64((place.y & fractions) << bits), 0, view.weight, sums + 4 * index, 1)
      for channel in 0..<4 { next[channel] = kept[channel] }
    }
  }

  private func copy(
    _ line: UnsafePointer<Int16>, _ x: Int, to target: UnsafeMutablePointer<Int16>
  ) {
    var column = x
    if let edge = source.source.x {
      guard let resolved = edge.mode.resolve(x, in: edge.range) else {
        return target.update(repeating: .transparent, count: 4)
      }
      column = resolved
    }
    target.update(from: line + 4 * (column - columns.lowerBound), count: 4)
  }
}
