internal import CKernels
internal import FrostglassCore

extension Gather {
  /// Adds up what the views show, some pixels of a few rows at a time.
  ///
  /// - Returns: `nil` for gray images that become colors, which only the reference kernel makes.
  func fast(
    _ source: ImageSource<Int16>, into target: ImageRows<Int16>, _ tools: RowTools
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
    _ source: ImageSource<Int16>, _ lines: UnsafePointer<UnsafePointer<Int16>?>, _ length: Int,
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

  /// Returns an upper bound of the number of rows read for this many of the target's.
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

/// A source's pixels, as views of it are added up.
struct GatheredPixels<Sum> {
  /// Adds what views show to sums; see `fgk_row_kernels`.
  typealias Kernel = (
    _ rows: UnsafePointer<UnsafePointer<Int16>?>, _ column: Int64, _ row: Int64,
    _ views: UnsafePointer<fgk_view>, _ count: Int, _ sums: UnsafeMutablePointer<Sum>,
    _ length: Int, _ pixels: Int, _ lines: Int, _ ahead: Int
  ) -> Void

  private let views: [Gather.View]
  private let source: ImageSource<Int16>
  /// The starts of the rows that are read.
  private let lines: UnsafePointer<UnsafePointer<Int16>?>
  private let columns: Range<Int>
  /// Columns that stand for themselves, and whose right neighbors do.
  private let plain: Range<Int>
  private let channels: Int
  private let kernel: Kernel
  /// Views as kernels take them.
  private let placed: UnsafeMutablePointer<fgk_view>
  /// A view's reads beyond the edge: the copied pixels, the starts of their rows, and for each of their columns the
  /// source's column, or a negative number.
  private let copy: UnsafeMutablePointer<Int16>
  private let copyRows: UnsafeMutablePointer<UnsafePointer<Int16>?>
  private let copyColumns: UnsafeMutablePointer<Int>

  /// The most pixels of a copy.
  private static var most: Int { 1 << 14 }
  /// Pixels that kernels may load behind those that they use.
  private static var loadedBeyond: Int { 8 }

  init(
    _ source: ImageSource<Int16>, _ views: [Gather.View],
    _ lines: UnsafePointer<UnsafePointer<Int16>?>, _ tools: RowTools, _ kernel: @escaping Kernel
  ) {
    self.views = views
    self.source = source
    self.lines = lines
    channels = source.rows.channels
    self.kernel = kernel
    let columns = source.rows.domain.columns
    self.columns = columns
    let inside = source.source.x.map { columns.clamped(to: $0.range) } ?? columns
    plain = inside.lowerBound..<max(inside.lowerBound, inside.upperBound - 1)
    placed = tools.memory.take(max(views.count, 1))
    copy = tools.scratch(Self.most * channels)
    copyRows = tools.memory.take(Self.most)
    copyColumns = tools.memory.take(Self.most)
  }

  /// Adds what all views show of some pixels to sums of theirs.
  ///
  /// - Parameters:
  ///   - first: the row that the lines begin with.
  ///   - length: sums from one row to the next.
  ///   - isFollowed: true if the next call is for as many pixels to the right of these.
  func add(
    _ part: Range<Int>, _ rows: Range<Int>, from first: Int, to sums: UnsafeMutablePointer<Sum>,
    _ length: Int, isFollowed: Bool
  ) {
    if views.allSatisfy({ areThere($0.map.columnsRead(for: rows, part)) }) {
      for (place, view) in views.enumerated() {
        placed[place] = fgk_view(view, part.lowerBound, rows.lowerBound)
      }
      gather(
        part, rows, lines, at: columns.lowerBound, first, views.count, to: sums, length,
        ahead: isFollowed ? part.count : 0)
    } else {
      for view in views { add(view, part, rows, from: first, to: sums, length) }
    }
  }

  /// Adds what a view shows; what it reads beyond the edge is put together before, in parts that are small
  /// enough.
  private func add(
    _ view: Gather.View, _ part: Range<Int>, _ rows: Range<Int>, from first: Int,
    to sums: UnsafeMutablePointer<Sum>, _ length: Int
  ) {
    let read = view.map.columnsRead(for: rows, part)
    if areThere(read) {
      return add(view, part, rows, lines, at: columns.lowerBound, first, to: sums, length)
    }
    let readRows = view.map.rowsRead(for: rows, part)
    if (read.count + Self.loadedBeyond) * readRows.count <= Self.most {
      copy(read, readRows, from: first)
      return add(
        view, part, rows, copyRows, at: read.lowerBound, readRows.lowerBound, to: sums, length)
    }
    let half = (part.count / 2, rows.count / 2)
    if rows.count > 1 {
      let middle = rows.lowerBound + half.1
      add(view, part, rows.lowerBound..<middle, from: first, to: sums, length)
      add(
        view, part, middle..<rows.upperBound, from: first, to: sums + length * half.1, length)
    } else {
      let middle = part.lowerBound + half.0
      add(view, part.lowerBound..<middle, rows, from: first, to: sums, length)
      add(
        view, middle..<part.upperBound, rows, from: first, to: sums + channels * half.0, length)
    }
  }

  /// Adds what one view shows, from lines whose first column and row are given.
  private func add(
    _ view: Gather.View, _ part: Range<Int>, _ rows: Range<Int>,
    _ lines: UnsafePointer<UnsafePointer<Int16>?>, at column: Int, _ row: Int,
    to sums: UnsafeMutablePointer<Sum>, _ length: Int
  ) {
    placed[0] = fgk_view(view, part.lowerBound, rows.lowerBound)
    gather(part, rows, lines, at: column, row, 1, to: sums, length, ahead: 0)
  }

  /// Adds what the first placed views show.
  private func gather(
    _ part: Range<Int>, _ rows: Range<Int>, _ lines: UnsafePointer<UnsafePointer<Int16>?>,
    at column: Int, _ row: Int, _ count: Int, to sums: UnsafeMutablePointer<Sum>, _ length: Int,
    ahead: Int
  ) {
    let (x, y) = (Int64(column - part.lowerBound), Int64(row - rows.lowerBound))
    kernel(lines, x, y, placed, count, sums, length, part.count, rows.count, ahead)
  }

  /// Returns true if columns, the last of which is a right neighbor, are all present.
  private func areThere(_ read: Range<Int>) -> Bool {
    plain.lowerBound <= read.lowerBound && read.upperBound - 1 <= plain.upperBound
  }

  /// Puts together some columns of some rows.
  private func copy(_ read: Range<Int>, _ rows: Range<Int>, from first: Int) {
    let stride = (read.count + Self.loadedBeyond) * channels
    for (index, column) in read.enumerated() {
      let resolved = source.source.x.map { $0.mode.resolve(column, in: $0.range) } ?? column
      copyColumns[index] = resolved.map { $0 - columns.lowerBound } ?? -1
    }
    // Those that stand for themselves lie side by side.
    let own = read.clamped(to: plain.lowerBound..<plain.upperBound + 1)
    for (index, y) in rows.enumerated() {
      let row = copy + stride * index
      copyRows[index] = UnsafePointer(row)
      guard let line = lines[y - first] else { continue }
      func copyEach(_ range: Range<Int>) {
        for place in range {
          let pixel = row + channels * place
          let column = copyColumns[place]
          if column < 0 {
            pixel.update(repeating: .transparent, count: channels)
          } else {
            pixel.update(from: line + channels * column, count: channels)
          }
        }
      }
      guard !own.isEmpty else {
        copyEach(0..<read.count)
        continue
      }
      copyEach(0..<own.lowerBound - read.lowerBound)
      (row + channels * (own.lowerBound - read.lowerBound)).update(
        from: line + channels * (own.lowerBound - columns.lowerBound), count: channels * own.count)
      copyEach(own.upperBound - read.lowerBound..<read.count)
    }
    copyRows[rows.count] = copyRows[rows.count - 1]
  }
}

extension fgk_view {
  /// A view, for pixels from x on in rows from y on.
  fileprivate init(_ view: Gather.View, _ x: Int, _ y: Int) {
    let map = view.map
    self.init(
      column_start: Int64(map.xx * x + map.xy * y + map.x0), column_step: Int64(map.xx),
      column_next: Int64(map.xy),
      row_start: Int64(map.yx * x + map.yy * y + map.y0), row_step: Int64(map.yx),
      row_next: Int64(map.yy) + 1 << AffineMap.coefficientBits, weight: view.weight)
  }
}

extension AffineMap {
  /// The columns that are read for some of the target's pixels, right neighbors among them.
  ///
  /// The corners are enough, as places go one way along each axis.
  func columnsRead(for rows: Range<Int>, _ columns: Range<Int>) -> Range<Int> {
    let (left, right) = (columns.lowerBound, columns.upperBound - 1)
    let (top, bottom) = (rows.lowerBound, rows.upperBound - 1)
    let (a, b) = (position(left, top).x, position(right, top).x)
    let (c, d) = (position(left, bottom).x, position(right, bottom).x)
    return min(a, b, c, d) >> Self.positionBits..<(max(a, b, c, d) >> Self.positionBits) + 2
  }

  /// The rows that are read likewise, lower neighbors among them.
  func rowsRead(for rows: Range<Int>, _ columns: Range<Int>) -> Range<Int> {
    let (left, right) = (columns.lowerBound, columns.upperBound - 1)
    let (top, bottom) = (rows.lowerBound, rows.upperBound - 1)
    let (a, b) = (position(left, top).y, position(right, top).y)
    let (c, d) = (position(left, bottom).y, position(right, bottom).y)
    return min(a, b, c, d) >> Self.positionBits..<(max(a, b, c, d) >> Self.positionBits) + 2
  }
}
