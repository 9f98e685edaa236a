internal import CKernels
internal import FrostglassCore

extension Resample {
  /// True if samples are copied, or both axes are left alone, halved or grown by weights of 1/16384.
  var hasFixedKernel: Bool { takesSamples || x.change != nil && y.change != nil }

  /// Combines the source rows of each target row, then the columns of that one row.
  func fast(_ source: ImageSource<Int16>, into target: ImageRows<Int16>, _ tools: RowTools)
    -> RowProgram
  {
    if takesSamples { return taking(source, into: target, tools) }
    let channels = target.channels
    let reach = source.columns(x.sourceRange(for: target.domain.columns))
    let row: UnsafeMutablePointer<Int16> = tools.scratch(reach.width * channels)
    let present = row + reach.presentOffset * channels
    let combine = y.combineRows(source, into: present, tools)
    let finish = x.combineColumns(
      row + reach.wantedOffset * channels, reach.wanted.lowerBound, into: target, tools)
    return { rows in
      for y in rows {
        combine(y)
        reach.fillOutside(row, channels: channels, transparent: .transparent)
        finish(y)
      }
    }
  }

  /// Halves both axes of 8-bit rows that need no arithmetic of their own, rounding nowhere.
  func fastHalving(
    _ input: InputRows, _ source: Source, _ domain: Rect, into target: ImageRows<Int16>,
    _ tools: RowTools
  ) -> RowProgram {
    let channels = input.format.layout.channels
    let reach = ColumnReach(
      x.sourceRange(for: target.domain.columns), of: domain.columns, edge: source.x)
    let sums: UnsafeMutablePointer<UInt16> =
      tools.memory.take(reach.width * channels + 2 * Int(FG_SLACK))
    let wanted = sums + reach.wantedOffset * channels
    let first = domain.x * channels
    let kernels = tools.kernels
    let length = domain.width * channels
    let nothing: UnsafeMutablePointer<UInt8> = tools.memory.take(length, of: 0)
    let four: UnsafeMutablePointer<UnsafePointer<UInt8>> = tools.memory.take(4)
    return { rows in
      for y in rows {
        let top = self.y.start(of: y).source
        for place in 0..<4 {
          let row = source.y.map { $0.mode.resolve(top + place, in: $0.range) } ?? top + place
          four[place] =
            row.map { input.row($0).assumingMemoryBound(to: UInt8.self) + first }
            ?? UnsafePointer(nothing)
        }
        kernels.halve_rows8(four, sums + reach.presentOffset * channels, length)
        reach.fillOutside(sums, channels: channels, transparent: 0)
        switch channels {
        case 1: kernels.halve_sums_gray(wanted, target.row(y), target.domain.width)
        case 3: kernels.halve_sums_rgb(wanted, target.row(y), target.domain.width)
        default: kernels.halve_sums(wanted, target.row(y), target.domain.width)
        }
      }
    }
  }

  /// Returns true if `store` can take grown rows before they are rounded to fixed point.
  func isFastStoring(_ store: Store) -> Bool {
    store.format.depth == .uint8 && store.alpha != .straight && store.background == nil
      && growsToBytes
  }

  /// The same of straight alpha, see `fastStoring(straight:)`.
  func isFastStoring(straight store: Store) -> Bool {
    store.format.depth == .uint8 && store.format.layout == .rgba
      && store.alpha == .straight && store.background == nil && growsToBytes
  }

  private var growsToBytes: Bool {
    // Four times a weight fits 16 bits.
    guard case .grow(let weights) = x.change, case .grow = y.change else { return false }
    return weights.allSatisfy { (0..<16384).contains($0) }
  }

  /// Grows straight to 8-bit rows of the result.
  func fastStoring(
    _ source: ImageSource<Int16>, _ store: Store, into output: OutputRows, _ tools: RowTools
  ) -> RowProgram {
    guard let grown = GrownRows(self, source, output.rect.columns, store, tools) else {
      return { _ in }
    }
    return { rows in
      for y in rows {
        grown.combine(y)
        grown.store(
          output.rect.columns, output.row(y).assumingMemoryBound(to: UInt8.self))
      }
    }
  }

  var halvesBoth: Bool { x.change == .halve && y.change == .halve }
}

extension Polyphase {
  /// A change with fixed-point kernels.
  fileprivate enum Change: Equatable {
    case none
    case halve
    /// Weights of source samples q - 1, q and q + 1 for each phase, in 1/16384.
    case grow([Int16])
  }

  fileprivate var change: Change? {
    if isIdentity { return Change.none }
    if stride == 2, phases == [Phase(first: -1, taps: [0.125, 0.375, 0.375, 0.125])] {
      return .halve
    }
    guard stride == 1, phases.count > 1, phases.count.nonzeroBitCount == 1 else { return nil }
    var weights: [Int16] = []
    for phase in phases {
      var three: [Int16] = [0, 0, 0]
      for (index, tap) in phase.taps.enumerated() {
        let scaled = tap * 16384
        let place = phase.first + 1 + index
        guard scaled == scaled.rounded(), abs(scaled) <= 16384, three.indices.contains(place)
        else { return nil }
        three[place] = Int16(scaled)
      }
      guard three.reduce(0, { $0 + Int($1) }) == 16384 else { return nil }
      weights += three
    }
    return .grow(weights)
  }

  /// Computes one row of the target's scale on the source's columns.
  fileprivate func combineRows(
    _ source: ImageSource<Int16>, into row: UnsafeMutablePointer<Int16>, _ tools: RowTools
  ) -> (Int) -> Void {
    let length = source.rows.rowLength
    let kernels = tools.kernels
    switch change {
    case .halve:
      let four: UnsafeMutablePointer<UnsafePointer<Int16>> = tools.memory.take(4)
      return { y in
        let top = start(of: y).source
        for place in 0..<4 { four[place] = source.row(top + place) }
        kernels.halve_rows(four, row, length)
      }
    case .grow(let weights):
      let three: UnsafeMutablePointer<UnsafePointer<Int16>> = tools.memory.take(3)
      let all = tools.memory.take(copying: weights)
      let count = phases.count
      return { y in
        let period = floorDivide(y, count)
        // A row of weight 0 may be missing; another replaces it.
        let read = sourceRange(for: y..<y + 1)
        for place in 0..<3 {
          let row = min(max(period - 1 + place, read.lowerBound), read.upperBound - 1)
          three[place] = source.row(row)
        }
        kernels.mix_rows(three, all + 3 * (y - period * count), row, length)
      }
    default:
      return { y in row.update(from: source.row(y), count: length) }
    }
  }

  /// Computes the target's columns of a row that begins at column `first`.
  fileprivate func combineColumns(
    _ row: UnsafePointer<Int16>, _ first: Int, into target: ImageRows<Int16>, _ tools: RowTools
  ) -> (Int) -> Void {
    let channels = target.channels
    let columns = target.domain.columns
    let kernels = tools.kernels
    switch change {
    case .halve:
      let halve = channels == 1 ? kernels.halve_columns_gray : kernels.halve_columns
      return { y in halve(row, target.row(y), columns.count) }
    case .grow(let weights):
      let factor = phases.count
      let period = floorDivide(columns.lowerBound, factor)
      let periods = floorDivide(columns.upperBound - 1, factor) - period + 1
      // Whole periods are computed; the excess goes into the padding of the row.
      let before = (columns.lowerBound - period * factor) * channels
      let start = row + (period - 1 - first) * channels
      let arranged = Self.arranged(weights, channels)
      let grow = channels == 1 ? kernels.grow_columns_gray : kernels.grow_columns
      return { y in grow(start, arranged, factor, target.row(y) - before, periods) }
    default:
      let start = row + (columns.lowerBound - first) * channels
      return { y in target.row(y).update(from: start, count: columns.count * channels) }
    }
  }

  /// Weights in the order of the growing kernels: the first two of each phase once per channel,
  /// then the third with a rounding half, likewise; and a vector of zeros to read beyond.
  fileprivate static func arranged(_ weights: [Int16], _ channels: Int) -> [Int16] {
    var near: [Int16] = []
    var far: [Int16] = []
    for phase in Swift.stride(from: 0, to: weights.count, by: 3) {
      for _ in 0..<channels {
        near += [weights[phase], weights[phase + 1]]
        far += [weights[phase + 2], 8192]
      }
    }
    return near + far + [Int16](repeating: 0, count: 16)
  }

  /// The same for growing and storing at once: each weight of a phase once per channel, in 1/65536,
  /// for at least four phases, or 32 of gray.
  fileprivate static func arrangedForStoring(_ weights: [Int16], _ channels: Int) -> [UInt16] {
    var enough = weights
    while enough.count < 3 * (channels == 1 ? 32 : 4) { enough += enough }
    return (0..<3).flatMap { place in
      Swift.stride(from: place, to: enough.count, by: 3).flatMap { index in
        [UInt16](repeating: UInt16(enough[index]) * 4, count: channels)
      }
    }
  }
}

// Samples that are taken as they are: an image moved by whole samples, or every second sample of a
// row, to separate interleaved chroma.
extension Resample {
  /// True if samples are only copied.
  private var takesSamples: Bool {
    x.phases.count == 1 && x.phases[0].taps == [1] && x.stride <= 2 && y.move != nil
  }

  /// Copies the samples of each row.
  private func taking(
    _ source: ImageSource<Int16>, into target: ImageRows<Int16>, _ tools: RowTools
  ) -> RowProgram {
    let channels = target.channels
    let reach = source.columns(x.sourceRange(for: target.domain.columns))
    let row: UnsafeMutablePointer<Int16> = tools.scratch(reach.width * channels)
    let present = row + reach.presentOffset * channels
    let wanted = row + reach.wantedOffset * channels
    let everySecond = x.stride == 2
    return { rows in
      for y in rows {
        present.update(from: source.row(self.y.start(of: y).source), count: source.rows.rowLength)
        reach.fillOutside(row, channels: channels, transparent: .transparent)
        let taken = target.row(y)
        guard everySecond else {
          taken.update(from: wanted, count: target.rowLength)
          continue
        }
        for pixel in 0..<target.domain.width {
          for channel in 0..<channels {
            taken[pixel * channels + channel] = wanted[2 * pixel * channels + channel]
          }
        }
      }
    }
  }
}

/// Rows that are enlarged and stored in parts, without the intermediate image.
///
/// Gray is only stored: `grow`, `run` and mixed rows are of pixels of four samples.
final class GrownRows {
  /// Prepares a row whose parts are then enlarged.
  let combine: (_ y: Int) -> Void
  /// The columns of the row.
  fileprivate let reach: ColumnReach
  fileprivate let row: UnsafeMutablePointer<Int16>
  /// The offset of the first period's first sample in the row.
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
  /// The kernel that grows and stores a part of the row.
  private let growAndStore: GrowAndStore
  fileprivate let kernels: fgk_row_kernels

  private typealias GrowAndStore =
    @convention(c) (
      UnsafePointer<Int16>, UnsafePointer<UInt16>, Int, Int, UnsafeMutablePointer<UInt8>, Int
    ) -> Void

  /// - Parameters:
  ///   - columns: that are there.
  ///   - store: takes them; see `isFastStoring`.
  init?(
    _ resample: Resample, _ source: ImageSource<Int16>, _ columns: Range<Int>, _ store: Store,
    _ tools: RowTools
  ) {
    guard case .grow(let weights) = resample.x.change else { return nil }
    let channels = Int16.channels(of: store.format.layout)
    let reach = source.columns(resample.x.sourceRange(for: columns))
    let row: UnsafeMutablePointer<Int16> = tools.scratch(reach.width * channels)
    let combine = resample.y.combineRows(
      source, into: row + reach.presentOffset * channels, tools)
    self.row = row
    self.reach = reach
    self.combine = { y in
      combine(y)
      reach.fillOutside(row, channels: channels, transparent: .transparent)
    }
    self.columns = columns
    factor = resample.x.phases.count
    let period = floorDivide(columns.lowerBound, factor)
    before = columns.lowerBound - period * factor
    startOffset = (reach.wantedOffset + period - 1 - reach.wanted.lowerBound) * channels
    arranged = UnsafePointer(tools.memory.take(copying: Polyphase.arranged(weights, channels)))
    arrangedForStoring = UnsafePointer(
      tools.memory.take(copying: Polyphase.arrangedForStoring(weights, channels)))
    reads = stride(from: 0, to: weights.count, by: 3).map {
      SIMD3(weights[$0], weights[$0 + 1], weights[$0 + 2])
    }
    kernels = tools.kernels
    switch store.format.layout {
    case .gray: growAndStore = kernels.grow_store8_gray
    case .rgb: growAndStore = kernels.grow_store8_rgb
    case .rgba: growAndStore = kernels.grow_store8
    }
  }

  /// Grows a part of the row, or of another like it, to 8 bits.
  func store(
    _ part: Range<Int>, _ target: UnsafeMutablePointer<UInt8>, of other: UnsafePointer<Int16>? = nil
  ) {
    let first = before + part.lowerBound - columns.lowerBound
    let start = (other ?? UnsafePointer(row)) + startOffset
    growAndStore(start, arrangedForStoring, factor.trailingZeroBitCount, first, target, part.count)
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

  /// Returns true if a pixel is grown from full fourth samples.
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
      // Columns outside the requested ones are read with a weight of 0.
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

// Resampling in floats: any ratio and any taps.
extension Resample {
  /// Combines the source rows of each target row, then the columns of that one row.
  func fast(
    _ source: ImageSource<Float>, into target: ImageRows<Float>, _ tools: RowTools
  ) -> RowProgram {
    let channels = target.channels
    let reach = source.columns(x.sourceRange(for: target.domain.columns))
    let row: UnsafeMutablePointer<Float> = tools.scratch(reach.width * channels)
    let present = row + reach.presentOffset * channels
    let wanted = UnsafePointer(row + reach.wantedOffset * channels)
    let length = source.rows.rowLength
    let combine = x.combineColumns(
      wanted, reach.wanted.lowerBound, channels, target.domain.columns, tools)
    let sources: UnsafeMutablePointer<UnsafePointer<Float>?> =
      tools.memory.take(self.y.longestPhase)
    return { rows in
      for y in rows {
        let start = self.y.start(of: y)
        let taps = self.y.phases[start.phase].taps
        for index in taps.indices { sources[index] = source.row(start.source + index) }
        tools.kernels.float_mix_rows(sources, taps, taps.count, present, length)
        reach.fillOutside(row, channels: channels, transparent: .transparent)
        combine(target.row(y))
      }
    }
  }
}

extension Polyphase {
  /// Computes the target's columns of a row that begins at column `first`.
  func combineColumns(
    _ row: UnsafePointer<Float>, _ first: Int, _ channels: Int, _ columns: Range<Int>,
    _ tools: RowTools
  ) -> (UnsafeMutablePointer<Float>) -> Void {
    if isIdentity {
      let start = row + (columns.lowerBound - first) * channels
      return { target in target.update(from: start, count: columns.count * channels) }
    }
    if let mixed = combineSixteens(row, first, channels, columns, tools) { return mixed }
    let kernelPhases = tools.memory.take(
      copying: phases.map {
        fgk_phase(
          first: $0.first, count: $0.taps.count, taps: tools.memory.take(copying: $0.taps))
      })
    let period = floorDivide(columns.lowerBound, phases.count)
    let start = row + (period * stride - first) * channels
    return { target in
      tools.kernels.float_mix_columns(
        start, stride, kernelPhases, phases.count, columns.lowerBound - period * phases.count,
        channels, target, columns.count)
    }
  }

  /// The same by sixteen samples at a time: where each begins to read, and its taps, are settled before.
  ///
  /// Taps that some phases do not have are no numbers, and add nothing.
  ///
  /// - Returns: `nil` where that is not faster.
  private func combineSixteens(
    _ row: UnsafePointer<Float>, _ first: Int, _ channels: Int, _ columns: Range<Int>,
    _ tools: RowTools
  ) -> ((UnsafeMutablePointer<Float>) -> Void)? {
    let isEven = phases.allSatisfy { $0.taps.count == phases[0].taps.count }
    let low = phases.map(\.first).min() ?? 0
    let end = phases.map { $0.first + $0.taps.count }.max() ?? 0
    let count = isEven ? phases[0].taps.count : end - low
    /// Taps that a phase does not have before its own.
    func missing(_ phase: Int) -> Int { isEven ? 0 : phases[phase].first - low }
    let samples = columns.count * channels
    var vectors = (samples + 15) / 16
    var step = 0
    // Where samples repeat; what is too much at a row's end is read from the room around it.
    let period = phases.count * channels
    let repeated = 16 * (period >> min(period.trailingZeroBitCount, 4))
    let beyond = (16 * stride / phases.count + count + stride) * channels
    if repeated / 16 < vectors, beyond < Int(FG_SLACK) / 2 {
      vectors = repeated / 16
      step = repeated / phases.count * stride
    }
    func start(_ sample: Int) -> (source: Int, phase: Int) {
      let place = self.start(
        of: columns.lowerBound
          + (step == 0 ? min(sample / channels, columns.count - 1) : sample / channels))
      let source = place.source - missing(place.phase)
      return ((source - first) * channels + sample % channels, place.phase)
    }
    let lows = (0..<vectors).map { vector in
      (0..<16).map { start(16 * vector + $0).source }.min() ?? 0
    }
    let farthest = (0..<16 * vectors).map { start($0).source - lows[$0 / 16] }.max() ?? 0
    guard
      isEven && channels == 1 && count > 4 || tools.kernels.prefers_places != 0 && farthest < 32
    else { return nil }
    let starts: UnsafeMutablePointer<Int32> = tools.memory.take(vectors)
    let places: UnsafeMutablePointer<Int32> = tools.memory.take(16 * vectors)
    let taps: UnsafeMutablePointer<Float> = tools.memory.take(16 * vectors * count)
    for vector in 0..<(tools.memory.isThere ? vectors : 0) {
      starts[vector] = Int32(lows[vector])
      for lane in 0..<16 {
        let place = start(16 * vector + lane)
        places[16 * vector + lane] = Int32(place.source - lows[vector])
        for tap in 0..<count { taps[(vector * count + tap) * 16 + lane] = .nan }
        for (tap, weight) in phases[place.phase].taps.enumerated() {
          taps[(vector * count + missing(place.phase) + tap) * 16 + lane] = weight
        }
      }
    }
    let mixed = fgk_places(
      starts: starts, places: places, taps: taps, count: count, channels: channels,
      vectors: vectors,
      step: step, farthest: Int32(farthest))
    let mix = tools.kernels.float_mix_places
    return { target in withUnsafePointer(to: mixed) { mix(row, $0, target, samples) } }
  }
}
