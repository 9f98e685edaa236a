internal import FrostglassCore

/// Parts of the rows of an image that is made for one layer alone: those that can show.
struct ColumnBlocks {
  let shown: ShownLayers
  let layer: Int
  /// The factors by which the image is smaller than the result.
  let factorX: Int
  let factorY: Int
  /// The reach of one of its pixels, in pixels of the result.
  let reachX: Int
  let reachY: Int

  /// Returns the blocks of each row that can show.
  func table(in memory: RowMemory) -> BlockTable {
    let (first, bands) = shown.bands(layer)
    return BlockTable(
      bands: memory.take(copying: bands), firstBand: first, count: bands.count,
      rowsPerBand: shown.rowsPerBand, factor: factorY, reach: reachY,
      spread: (reachX + shown.width - 1) / shown.width)
  }

  /// The places of blocks in the image's rows.
  var places: BlockPlaces {
    BlockPlaces(left: shown.left, width: shown.width, count: shown.count, factor: factorX)
  }
}

/// The blocks of each row that can show, where rows are asked for one by one: nothing is counted that is
/// referred to.
struct BlockTable {
  fileprivate let bands: UnsafePointer<UInt64>
  fileprivate let firstBand: Int
  fileprivate let count: Int
  fileprivate let rowsPerBand: Int
  fileprivate let factor: Int
  fileprivate let reach: Int
  /// Blocks to each side that are read.
  fileprivate let spread: Int

  /// The blocks of a row that can show, the first in the lowest bit.
  func blocks(_ y: Int) -> UInt64 {
    let (low, high) = (y * factor - reach, (y + 1) * factor + reach)
    var band = max(floorDivide(low, rowsPerBand) - firstBand, 0)
    let end = min(floorDivide(high - 1, rowsPerBand) - firstBand + 1, count)
    var blocks: UInt64 = 0
    while band < end {
      blocks |= bands[band]
      band += 1
    }
    for _ in 0..<spread { blocks |= blocks << 1 | blocks >> 1 }
    return blocks
  }
}

/// The places of blocks of the result's columns in an image that may be smaller.
struct BlockPlaces {
  let left: Int
  let width: Int
  let count: Int
  let factor: Int

  /// Goes through some columns that blocks stand for, from left to right.
  @inline(__always)
  func forEach(_ blocks: UInt64, of columns: Range<Int>, _ body: (Range<Int>) -> Void) {
    var blocks = blocks
    while blocks != 0 {
      let first = blocks.trailingZeroBitCount
      let end = first + (~(blocks >> UInt64(first))).trailingZeroBitCount
      blocks &= end < 64 ? UInt64.max << UInt64(end) : 0
      let part = self.columns(first..<end, of: columns)
      if !part.isEmpty { body(part) }
    }
  }

  /// The columns of some that blocks stand for: the image may begin before the first block, and end
  /// behind the last.
  func columns(_ blocks: Range<Int>, of columns: Range<Int>) -> Range<Int> {
    let low =
      blocks.lowerBound == 0
      ? columns.lowerBound : max(column(blocks.lowerBound), columns.lowerBound)
    let high =
      blocks.upperBound >= count
      ? columns.upperBound : min(column(blocks.upperBound), columns.upperBound)
    return low..<max(low, high)
  }

  /// Returns the first column of a block.
  private func column(_ block: Int) -> Int { floorDivide(left + block * width, factor) }
}
