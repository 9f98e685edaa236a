internal import CKernels
internal import FrostglassCore

extension Grain {
  /// Noise on whole rows, to the reference's bit.
  ///
  /// - Returns: `nil` where the noise is added to encoded values of light.
  func fast(
    _ source: ImageSource<Int16>, into target: ImageRows<Int16>, _ tools: RowTools
  ) -> RowProgram? {
    guard !encodes else { return nil }
    let (kernels, width) = (tools.kernels, target.domain.width)
    let noise = GrainRows(self, target.domain.columns, tools)
    let copy = ColumnPixels(source, target, tools)
    let isBell = form == .bell ? Int32(1) : 0
    let isGray = target.channels == 1
    return { rows in
      for y in rows {
        copy.row(y, into: target.row(y))
        let noise = noise.row(y)
        if isGray, let only = noise[0] {
          kernels.grain_gray(target.row(y), only, amplitude, isBell, width)
        } else {
          kernels.grain(target.row(y), noise, amplitude, isBell, width)
        }
      }
    }
  }

  /// Noise on whole rows.
  ///
  /// - Returns: `nil` where it is added to encoded values of light, or gray becomes colors.
  func fast(
    _ source: ImageSource<Float>, into target: ImageRows<Float>, _ tools: RowTools
  ) -> RowProgram? {
    guard !encodes, source.rows.channels == target.channels else { return nil }
    let (kernels, width) = (tools.kernels, target.domain.width)
    let noise = GrainRows(self, target.domain.columns, tools)
    let offset = source.offset(of: target.domain.columns)
    let isBell = form == .bell ? Int32(1) : 0
    return { rows in
      for y in rows {
        target.row(y).update(from: source.row(y) + offset, count: target.rowLength)
        kernels.float_grain(
          target.row(y), noise.row(y), amplitude, isBell, target.channels, width)
      }
    }
  }
}

/// The numbers of rows of pixels, a row for each color: those of the lattice itself, or grown from its
/// rows.
private final class GrainRows {
  /// Rows for red, green and blue, which may be one.
  typealias Colors = [UnsafePointer<Float>?]

  private let grain: Grain
  private let columns: Range<Int>
  private let kernels: fgk_row_kernels
  /// Lattice points of a row.
  private let points: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>?>
  private let lattice: Range<Int>
  /// For each color, expands lattice points to the pixels' columns.
  private let widen: [(UnsafeMutablePointer<Float>) -> Void]
  /// Rows of the lattice that were widened, of each color: row j is at j modulo their number.
  private let widened: [[UnsafeMutablePointer<Float>]]
  private var held: [Int]
  private let made: [UnsafeMutablePointer<Float>]
  private let colors: Colors
  /// The lattice's rows that one row is mixed of.
  private let mixed: UnsafeMutablePointer<UnsafePointer<Float>?>

  init(_ grain: Grain, _ columns: Range<Int>, _ tools: RowTools) {
    self.grain = grain
    self.columns = columns
    kernels = tools.kernels
    lattice = grain.growth.sourceRange(for: columns)
    let count = grain.isColored ? 3 : 1
    func rows(_ samples: Int) -> [UnsafeMutablePointer<Float>] {
      (0..<count).map { _ in tools.scratch(samples) }
    }
    made = rows(columns.count)
    colors = (0..<3).map { [made] in UnsafePointer(made[min($0, count - 1)]) }
    held = []
    mixed = tools.memory.take(grain.growth.longestPhase)
    guard !grain.growth.isIdentity else {
      points = UnsafeMutableBufferPointer(
        start: tools.memory.take(copying: made.map { $0 }), count: count)
      (widen, widened) = ([], [])
      return
    }
    let sparse = rows(lattice.count)
    points = UnsafeMutableBufferPointer(
      start: tools.memory.take(copying: sparse.map { $0 }), count: count)
    widen = sparse.map { [lattice] row in
      grain.growth.combineColumns(row, lattice.lowerBound, 1, columns, tools)
    }
    widened = (0..<grain.growth.longestPhase).map { _ in rows(columns.count) }
    held = [Int](repeating: .min, count: widened.count)
  }

  /// The numbers of a row of pixels.
  func row(_ y: Int) -> Colors {
    guard !widened.isEmpty else {
      makeNumbers(y)
      return colors
    }
    let start = grain.growth.start(of: y)
    let taps = grain.growth.phases[start.phase].taps
    for index in taps.indices { makeWide(start.source + index) }
    for (color, target) in made.enumerated() {
      for index in taps.indices {
        mixed[index] = UnsafePointer(
          widened[floorModulo(start.source + index, held.count)][color])
      }
      kernels.float_mix_rows(mixed, taps, taps.count, target, columns.count)
    }
    return colors
  }

  /// Numbers depend on nothing but their place, so they are kept from image to image.
  private func makeWide(_ row: Int) {
    let place = floorModulo(row, held.count)
    guard held[place] != row else { return }
    makeNumbers(row)
    for (widen, target) in zip(widen, widened[place]) { widen(target) }
    held[place] = row
  }

  private func makeNumbers(_ row: Int) {
    guard let targets = points.baseAddress else { return }
    kernels.grain_numbers(
      grain.form == .bell ? 1 : 0, grain.seed, Int32(truncatingIfNeeded: lattice.lowerBound),
      Int32(truncatingIfNeeded: row), targets, points.count, lattice.count)
  }
}
