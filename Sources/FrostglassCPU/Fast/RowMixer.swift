internal import CKernels
internal import FrostglassCore

/// Where two pictures are that are mixed, and where that goes: the first may be there.
struct MixedRow {
  let first: UnsafePointer<Int16>
  let second: UnsafePointer<Int16>
  let target: UnsafeMutablePointer<Int16>
}

/// Mixes stretches of rows; most of what a mask covers, it covers wholly.
struct RowMixer {
  private let kernels: fg_row_kernels
  private let channels: Int
  private let weights: UnsafeMutablePointer<Int16>
  private let mixed: UnsafeMutablePointer<Int16>

  init(_ tools: RowTools, _ target: PictureRows<Int16>) {
    kernels = tools.kernels
    channels = target.channels
    weights = tools.scratch(target.domain.width)
    mixed = tools.scratch(target.rowLength)
  }

  /// By a row of a mask's picture.
  func mix(_ row: MixedRow, _ mask: UnsafePointer<Int16>, _ count: Int) {
    let full = Int16(FG_FULL)
    var x = 0
    while x < count {
      let amount = mask[x]
      var end = x + 1
      if amount == full || amount == -full {
        while end < count, mask[end] == amount { end += 1 }
        copy(amount > 0 ? row.second : row.first, to: row.target, x, end)
      } else {
        while end < count, mask[end] != full, mask[end] != -full { end += 1 }
        kernels.mask_weights(mask + x, weights, end - x)
        mix(row, x, end)
      }
      x = end
    }
  }

  /// By the runs of a mask's row.
  func mix(
    _ row: MixedRow, _ columns: Range<Int>,
    _ mask: (runs: UnsafeBufferPointer<CoverageRun>, coverage: UnsafeMutablePointer<Float>)
  ) {
    var x = 0
    for run in mask.runs {
      let end = run.end - columns.lowerBound
      switch run.kind {
      case .none: copy(row.first, to: row.target, x, end)
      case .all: copy(row.second, to: row.target, x, end)
      case .some:
        kernels.mix_weights(mask.coverage + x, weights, end - x)
        mix(row, x, end)
      }
      x = end
    }
  }

  private func copy(
    _ source: UnsafePointer<Int16>, to target: UnsafeMutablePointer<Int16>, _ x: Int, _ end: Int
  ) {
    guard source != UnsafePointer(target) else { return }
    (target + x * channels).update(from: source + x * channels, count: (end - x) * channels)
  }

  /// Mixes what has weights.
  private func mix(_ row: MixedRow, _ x: Int, _ end: Int) {
    let place = x * channels
    // Whole vectors are written: over what comes after, which follows, or beside what is to stay.
    let isInPlace = row.first == UnsafePointer(row.target)
    let room = isInPlace ? mixed : row.target + place
    kernels.mix(row.first + place, row.second + place, weights, room, end - x, channels)
    if isInPlace { (row.target + place).update(from: mixed, count: (end - x) * channels) }
  }
}
