internal import FrostglassCore

/// Where the columns of a stencil's rows are when those of each place in a period lie together.
struct StencilPlanes {
  /// Periods that a row of the target touches.
  let periods: Int
  private let stride: Int
  private let phases: Int
  private let channels: Int
  private let firstPeriod: Int
  /// The first column of an extended source row, and how many it has.
  private let firstColumn: Int
  private let width: Int
  private let columns: Range<Int>

  init(_ stencil: Stencil, _ reach: ColumnReach, _ columns: Range<Int>, channels: Int) {
    stride = stencil.stride
    phases = stencil.phases
    self.channels = channels
    self.columns = columns
    firstPeriod = floorDivide(columns.lowerBound, phases)
    periods = floorDivide(columns.upperBound - 1, phases) - firstPeriod + 1
    firstColumn = reach.wanted.lowerBound - reach.wantedOffset
    width = reach.width
  }

  /// Samples of a source row.
  var sourceLength: Int { stride * sourcePlane }
  /// Samples of a target row.
  var targetLength: Int { phases * periods * channels }

  private var sourcePlane: Int {
    (floorDivide(firstColumn + width - 1, stride) - floorDivide(firstColumn, stride) + 1) * channels
  }

  /// Where a source row is read for the first period.
  func source(_ dx: Int) -> Int {
    let plane = floorModulo(dx, stride)
    let index = firstPeriod + floorDivide(dx, stride) - floorDivide(firstColumn, stride)
    return plane * sourcePlane + index * channels
  }

  /// Where the sums of a phase begin.
  func target(_ phase: Int) -> Int { phase * periods * channels }

  /// Puts the columns of an extended row where they belong.
  func split(_ row: UnsafePointer<Float>, into planes: UnsafeMutablePointer<Float>) {
    for column in 0..<width {
      let absolute = firstColumn + column
      let index = floorDivide(absolute, stride) - floorDivide(firstColumn, stride)
      let place = floorModulo(absolute, stride) * sourcePlane + index * channels
      for channel in 0..<channels { planes[place + channel] = row[column * channels + channel] }
    }
  }

  /// The sums column by column: as they are where there is one phase.
  func joined(
    _ sums: UnsafeMutablePointer<Float>, into result: UnsafeMutablePointer<Float>
  ) -> UnsafeMutablePointer<Float> {
    guard phases > 1 else { return sums }
    for (column, x) in columns.enumerated() {
      let period = floorDivide(x, phases)
      let place = target(x - period * phases) + (period - firstPeriod) * channels
      for channel in 0..<channels { result[column * channels + channel] = sums[place + channel] }
    }
    return result
  }
}
