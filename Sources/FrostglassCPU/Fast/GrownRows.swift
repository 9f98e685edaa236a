internal import CKernels
internal import FrostglassCore

/// Rows that are grown and stored in parts, of which the picture in between does not exist.
final class GrownRows {
  /// Makes a row ready, of which parts are then grown.
  let combine: (_ y: Int) -> Void
  /// Which columns the row has, and how many samples they are.
  fileprivate let reach: ColumnReach
  fileprivate let row: UnsafeMutablePointer<Int16>
  /// Where the first period's first sample is in the row.
  private let startOffset: Int
  fileprivate let columns: Range<Int>
  /// Columns of the period that `start` belongs to, before the first of `columns`.
  private let before: Int
  fileprivate let factor: Int
  /// Weights as kernels read them: to hand an array on takes as long as a few pixels, each time.
  private let arranged: UnsafePointer<Int16>
  private let arrangedForStoring: UnsafePointer<UInt16>
  /// For each pixel of a period, whether it reads each of three samples.
  private let reads: [SIMD3<Int16>]
  private let storesColors: Bool
  fileprivate let kernels: fg_row_kernels

  /// - Parameters:
  ///   - columns: that are there.
  ///   - store: takes them; see `isFastStoring`.
  init?(
    _ resample: Resample, _ source: PictureSource<Int16>, _ columns: Range<Int>, _ store: Store,
    _ tools: RowTools
  ) {
    guard case .grow(let weights) = resample.x.change else { return nil }
    let reach = source.columns(resample.x.sourceRange(for: columns))
    let row: UnsafeMutablePointer<Int16> = tools.scratch(reach.width * 4)
    let combine = resample.y.combineRows(source, into: row + reach.presentOffset * 4, tools)
    self.row = row
    self.reach = reach
    self.combine = { y in
      combine(y)
      reach.fillOutside(row, channels: 4, transparent: .transparent)
    }
    self.columns = columns
    factor = resample.x.phases.count
    let period = floorDivide(columns.lowerBound, factor)
    before = columns.lowerBound - period * factor
    startOffset = (reach.wantedOffset + period - 1 - reach.wanted.lowerBound) * 4
    arranged = UnsafePointer(tools.memory.take(copying: Polyphase.arranged(weights, 4)))
    arrangedForStoring = UnsafePointer(
      tools.memory.take(copying: Polyphase.arrangedForStoring(weights)))
    reads = stride(from: 0, to: weights.count, by: 3).map {
      SIMD3(weights[$0], weights[$0 + 1], weights[$0 + 2])
    }
    storesColors = store.format.layout == .rgb
    kernels = tools.kernels
  }

  /// Grows a part of the row, or of another like it, to 8 bits.
  func store(
    _ part: Range<Int>, _ target: UnsafeMutablePointer<UInt8>, of other: UnsafePointer<Int16>? = nil
  ) {
    let first = before + part.lowerBound - columns.lowerBound
    let grow = storesColors ? kernels.grow_store8_rgb : kernels.grow_store8
    let start = (other ?? UnsafePointer(row)) + startOffset
    grow(start, arrangedForStoring, factor.trailingZeroBitCount, first, target, part.count)
  }

  /// The pixels from the first of a part on that all are grown from full fourth samples, or all are not.
  func run(of part: Range<Int>) -> (end: Int, isFull: Bool) {
    let isFull = isFull(part.lowerBound)
    var x = part.lowerBound + 1
    while x < part.upperBound {
      let place = before + x - columns.lowerBound
      if place & (factor - 1) == 0 {
        let samples = start + (place >> shift) * 4
        if isFull {
          // Of so many samples in a row, all periods but those of the outer two.
          let left = (part.upperBound - x + factor - 1) >> shift
          let full = kernels.full_pixels(samples, left + 2)
          if full > 2 {
            x = min(x + (full - 2) << shift, part.upperBound)
            continue
          }
        } else if samples[7] != Int16(FG_FULL) {
          // All of a period read the middle one.
          x = min(x + factor, part.upperBound)
          continue
        }
      }
      if self.isFull(x) != isFull { break }
      x += 1
    }
    return (x, isFull)
  }

  /// Whether a pixel is grown from full fourth samples.
  private func isFull(_ x: Int) -> Bool {
    let place = before + x - columns.lowerBound
    let (samples, reads) = (start + (place >> shift) * 4, reads[place & (factor - 1)])
    let full = Int16(FG_FULL)
    return (reads.x == 0 || samples[3] == full) && samples[7] == full
      && (reads.z == 0 || samples[11] == full)
  }

  private var start: UnsafePointer<Int16> { UnsafePointer(row) + startOffset }
  private var shift: Int { factor.trailingZeroBitCount }

  /// Grows a part of the row.
  ///
  /// - Parameter target: whole periods are written, so that there is something on both sides.
  func grow(_ part: Range<Int>, _ target: UnsafeMutablePointer<Int16>) {
    let first = before + part.lowerBound - columns.lowerBound
    let period = first / factor
    let periods = (first + part.count - 1) / factor - period + 1
    kernels.grow_columns(
      UnsafePointer(row) + startOffset + period * 4, arranged, factor,
      target - (first - period * factor) * 4, periods)
  }
}

/// Two neighboring scales whose rows are mixed before they are grown, as growing a mix is mixing what
/// was grown. The larger scale may be half as fine, and is then grown to the other's size first.
struct JointGrowth {
  private let fine: GrownRows
  private let coarse: GrownRows
  private let doubled: UnsafeMutablePointer<Int16>
  private let mixed: UnsafeMutablePointer<Int16>

  /// - Returns: `nil` where rows do not fit each other so.
  init?(_ fine: GrownRows, _ coarse: GrownRows, _ tools: RowTools) {
    guard fine.columns == coarse.columns,
      fine.factor == coarse.factor
        ? fine.reach.wanted == coarse.reach.wanted && fine.reach.present == coarse.reach.present
        : 2 * fine.factor == coarse.factor
    else { return nil }
    self.fine = fine
    self.coarse = coarse
    doubled = tools.scratch(fine.reach.width * 4)
    mixed = tools.scratch(fine.reach.width * 4)
  }

  /// Grows a part of both rows, which are ready, to 8 bits.
  ///
  /// - Parameter weight: of the coarse one.
  func store(_ part: Range<Int>, _ weight: Int16, _ target: UnsafeMutablePointer<UInt8>) {
    var other = UnsafePointer(coarse.row)
    if fine.factor != coarse.factor {
      other = UnsafePointer(doubled)
      // What lies beyond the wanted columns is read with a weight of 0.
      let (from, to) = (fine.reach, coarse.reach)
      let period = floorDivide(from.wanted.lowerBound, 2)
      let periods = floorDivide(from.wanted.upperBound - 1, 2) - period + 1
      fine.kernels.grow_columns(
        UnsafePointer(coarse.row) + (to.wantedOffset + period - 1 - to.wanted.lowerBound) * 4,
        Self.doubling, 2,
        doubled + (from.wantedOffset + 2 * period - from.wanted.lowerBound) * 4, periods)
    }
    fine.kernels.mix_evenly(fine.row, other, weight, mixed, fine.reach.width * 4)
    fine.store(part, target, of: mixed)
  }

  private static let doubling = Polyphase.arranged([4096, 12288, 0, 0, 12288, 4096], 4)
}
