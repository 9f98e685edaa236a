internal import CKernels
internal import FrostglassCore

extension Blend {
  /// Mixes with numbers or a mask, lays over, multiplies or normalizes; `nil` for modes that have only
  /// the reference kernel.
  func fast(
    _ sources: [ImageSource<Int16>], into target: ImageRows<Int16>, _ tools: RowTools
  ) -> RowProgram? {
    switch mode {
    case .mix(let amount): mix(sources[0], sources[1], amount, into: target, tools)
    case .masked: masked(sources, into: target, tools)
    case .over: over(sources[0], sources[1], into: target, tools)
    case .normalize: normalize(sources[0], sources[1], above: nil, into: target, tools)
    case .normalizeAbove(let share):
      normalize(sources[0], sources[1], above: share, into: target, tools)
    case .multiply: multiply(sources[0], by: sources[1], into: target, tools)
    case .divide, .plusLighter: nil
    }
  }

  /// Multiplies by a mask's coverage, which is mostly full or none.
  ///
  /// - Parameters:
  ///   - input: brings the source's rows, where they were not loaded before.
  ///   - parts: the parts in which the result is read; `nil` for all.
  /// - Returns: `nil` for gray images that become colors.
  func weighted(
    _ source: ImageSource<Int16>, _ input: LoadedRows?, by coverage: Coverage,
    into target: ImageRows<Int16>, _ tools: RowTools, _ parts: WeightedParts? = nil
  ) -> RowProgram? {
    let channels = target.channels
    guard source.rows.channels == channels else { return nil }
    let columns = target.domain.columns
    let runs = CoverageRuns(
      coverage, columns, rows: target.domain.rows, CoverageVectors(tools.kernels))
    let weights: UnsafeMutablePointer<Int16> = tools.scratch(columns.count)
    let nothing: UnsafeMutablePointer<Int16> = tools.scratch(target.rowLength, of: .transparent)
    // Colors without an alpha channel have a fourth sample that stays full.
    if target.layout == .rgb, tools.memory.isThere {
      for x in columns.indices { nothing[4 * (x - columns.lowerBound) + 3] = Int16(FG_FULL) }
    }
    let loaded: UnsafeMutablePointer<Int16> = tools.scratch(input == nil ? 0 : target.rowLength)
    let places = parts?.places(factor: 1)
    return { rows in
      for y in rows {
        let blocks = parts?.weighted(y) ?? 1
        guard blocks != 0 else { continue }
        let result = target.row(y)
        let row = runs.row(y)
        // From the first block to the last; those between are few.
        var made = columns
        if let places {
          let (first, end) = (blocks.trailingZeroBitCount, 64 - blocks.leadingZeroBitCount)
          made = places.columns(first..<end, of: columns)
        }
        var x = columns.lowerBound
        for run in row.runs {
          let part = (x..<run.end).clamped(to: made)
          x = run.end
          guard !part.isEmpty else { continue }
          let (place, count) = (part.lowerBound - columns.lowerBound, part.count)
          let samples = count * channels
          switch run.kind {
          case .none: (result + place * channels).update(from: nothing, count: samples)
          case .all:
            if let input {
              input.load(part, y, into: result + place * channels, channels: channels)
            } else {
              (result + place * channels).update(
                from: source.row(y) + source.offset(of: part), count: samples)
            }
          case .some:
            let pixels: UnsafePointer<Int16>
            if let input {
              input.load(part, y, into: loaded, channels: channels)
              pixels = UnsafePointer(loaded)
            } else {
              pixels = source.row(y) + source.offset(of: part)
            }
            // Samples after the last pixel are overwritten later, or not read.
            tools.kernels.mix_weights(row.coverage + place, weights, count)
            tools.kernels.mix(
              nothing, pixels, weights, result + place * channels, count, channels)
          }
        }
      }
    }
  }

  private func mix(
    _ first: ImageSource<Int16>, _ second: ImageSource<Int16>, _ amount: Float,
    into target: ImageRows<Int16>, _ tools: RowTools
  ) -> RowProgram {
    let first = ColumnPixels(first, target, tools)
    let second = ColumnPixels(second, target, tools)
    let weight = mixWeight(of: amount)
    return { rows in
      for y in rows {
        tools.kernels.mix_evenly(
          first.row(y), second.row(y), weight, target.row(y), target.rowLength)
      }
    }
  }

  /// - Returns: `nil` for gray images.
  private func over(
    _ top: ImageSource<Int16>, _ bottom: ImageSource<Int16>, into target: ImageRows<Int16>,
    _ tools: RowTools
  ) -> RowProgram? {
    guard target.channels == 4 else { return nil }
    let top = ColumnPixels(top, target, tools)
    let bottom = ColumnPixels(bottom, target, tools)
    return { rows in
      for y in rows {
        tools.kernels.blend_over(
          top.row(y), bottom.row(y), target.row(y), target.domain.width)
      }
    }
  }

  /// - Returns: `nil` for gray results.
  private func multiply(
    _ source: ImageSource<Int16>, by gray: ImageSource<Int16>,
    into target: ImageRows<Int16>, _ tools: RowTools
  ) -> RowProgram? {
    guard target.channels == 4, gray.rows.channels == 1 else { return nil }
    let pixels = ColumnPixels(source, target, tools)
    let columns = target.domain.columns
    let weights: UnsafeMutablePointer<Int16> = tools.scratch(columns.count)
    return { rows in
      for y in rows {
        tools.kernels.mask_weights(gray.row(y) + gray.offset(of: columns), weights, columns.count)
        tools.kernels.blend_multiply(pixels.row(y), weights, target.row(y), columns.count)
      }
    }
  }

  /// - Parameter share: of the second's alpha, under which the second makes up for what is missing.
  private func normalize(
    _ first: ImageSource<Int16>, _ second: ImageSource<Int16>, above share: Float?,
    into target: ImageRows<Int16>, _ tools: RowTools
  ) -> RowProgram {
    let columns = target.domain.columns
    let first = ColumnPixels(first, columns, channels: 4, tools)
    let second = ColumnPixels(second, columns, channels: 4, tools)
    let pixels: UnsafeMutablePointer<Int16> = tools.scratch(4 * columns.count)
    return { rows in
      for y in rows {
        let made = target.channels == 4 ? target.row(y) : pixels
        if let share {
          first.row(y, into: made)
          tools.kernels.blend_normalize_above(made, second.row(y), share, columns.count)
        } else {
          tools.kernels.blend_normalize(first.row(y), second.row(y), made, columns.count)
        }
        if target.channels == 1 { tools.kernels.take_red(made, target.row(y), columns.count) }
      }
    }
  }

  /// Shows the second through a mask, where both show.
  ///
  /// - Parameter coverage: the coverage of the mask, whose image is then not read.
  func masked(
    _ sources: [ImageSource<Int16>], by coverage: Coverage? = nil,
    into target: ImageRows<Int16>, _ tools: RowTools
  ) -> RowProgram {
    let mixer = RowMixer(tools, target)
    let parts = columnParts(target.domain.columns).map { part in
      let columns = part.columns
      return (
        part: part,
        first: ColumnPixels(sources[0], columns, channels: target.channels, tools),
        second: ColumnPixels(sources[1], columns, channels: target.channels, tools),
        runs: part.hasFirst && part.hasSecond
          ? coverage.map { coverage in
            CoverageRuns(
              coverage, columns, rows: target.domain.rows, CoverageVectors(tools.kernels))
          } : nil
      )
    }
    let mask = sources[2]
    // Where the first is there already, so is what is shown of it alone.
    let shownRows = sources[0].rows.isSame(as: target) ? secondPart?.rows : nil
    return { rows in
      for y in shownRows.map(rows.clamped) ?? rows {
        for (part, first, second, runs) in parts {
          let place = target.row(y) + (part.columns.lowerBound - target.domain.x) * target.channels
          switch shown(part, y) {
          case .first: first.row(y, into: place)
          case .second: second.row(y, into: place)
          case .both:
            let row = MixedRow(first: first.row(y), second: second.row(y), target: place)
            if let runs {
              mixer.mix(row, part.columns, runs.row(y))
            } else {
              mixer.mix(row, mask.row(y) + mask.offset(of: part.columns), part.columns.count)
            }
          }
        }
      }
    }
  }
}

/// Columns in which the same sources show, whatever the row.
private struct BlendColumns {
  var columns: Range<Int>
  var hasFirst: Bool
  var hasSecond: Bool
}

/// The sources that show in a stretch of a row.
private enum BlendShown {
  case first, second, both
}

extension Blend {
  /// A row of a masked blend cut where a source's part begins or ends; none is empty.
  private func columnParts(_ columns: Range<Int>) -> [BlendColumns] {
    let cuts = [firstPart, secondPart].compactMap { $0?.columns }
      .flatMap { [$0.lowerBound, $0.upperBound] }.filter { columns.contains($0) }
    let bounds = Set(cuts + [columns.lowerBound, columns.upperBound]).sorted()
    return zip(bounds, bounds.dropFirst()).map { low, high in
      BlendColumns(
        columns: low..<high, hasFirst: firstPart?.columns.contains(low) ?? true,
        hasSecond: secondPart?.columns.contains(low) ?? true)
    }
  }

  /// Returns the sources that show in a stretch of row `y`.
  private func shown(_ part: BlendColumns, _ y: Int) -> BlendShown {
    if !part.hasSecond || !(secondPart?.rows.contains(y) ?? true) { return .first }
    if !part.hasFirst || !(firstPart?.rows.contains(y) ?? true) { return .second }
    return .both
  }
}

extension Blend {
  /// Any mode, in floats.
  func floatFast(
    _ sources: [ImageSource<Float>], into target: ImageRows<Float>, _ tools: RowTools
  ) -> RowProgram {
    if mode == .masked { return masked(sources, into: target, tools) }
    let isGray = target.layout == .gray && sources.allSatisfy { $0.rows.layout == .gray }
    let isWeighted =
      mode == .multiply && target.layout == sources[0].rows.layout
      && sources[1].rows.layout == .gray
    let columns = target.domain.columns
    return { rows in
      for y in rows {
        if isGray, gray(sources, y, into: target) { continue }
        if isWeighted {
          tools.kernels.float_multiply(
            sources[0].row(y) + sources[0].offset(of: columns),
            sources[1].row(y) + sources[1].offset(of: columns), target.row(y), columns.count,
            target.channels)
          continue
        }
        let a = BlendSource(sources[0], columns, y)
        let b = BlendSource(sources[1], columns, y)
        let result = UnsafeMutableBufferPointer(start: target.row(y), count: target.rowLength)
        for (index, x) in columns.enumerated() {
          setPixel(result, index, target.layout, mixed(a.pixel(x), b.pixel(x)))
        }
      }
    }
  }

  /// Modes of fills on a row of gray samples, by the reference's operations.
  ///
  /// - Returns: true if the mode is one of them.
  private func gray(
    _ sources: [ImageSource<Float>], _ y: Int, into target: ImageRows<Float>
  ) -> Bool {
    let columns = target.domain.columns
    let (a, b) = (
      sources[0].row(y) + sources[0].offset(of: columns),
      sources[1].row(y) + sources[1].offset(of: columns)
    )
    let result = target.row(y)
    switch mode {
    case .multiply:
      for x in 0..<columns.count { result[x] = b[x] == 0 ? 0 : a[x] * b[x] }
    case .divide:
      for x in 0..<columns.count {
        let share = a[x] / b[x]
        result[x] = b[x] < Blend.smallestDivisor ? 0 : share < 0 ? 0 : share > 1 ? 1 : share
      }
    case .plusLighter:
      for x in 0..<columns.count {
        let sum = a[x] + b[x]
        result[x] = sum > 1 ? 1 : sum
      }
    case .mix, .masked, .over, .normalize, .normalizeAbove: return false
    }
    return true
  }

  private func masked(
    _ sources: [ImageSource<Float>], into target: ImageRows<Float>, _ tools: RowTools
  ) -> RowProgram {
    let parts = columnParts(target.domain.columns)
    let isAlike =
      sources[0].rows.layout == target.layout && sources[1].rows.layout == target.layout
      && sources[2].rows.layout == .gray
    let channels = target.channels
    return { rows in
      for y in rows {
        let result = UnsafeMutableBufferPointer(start: target.row(y), count: target.rowLength)
        for part in parts {
          let shown = shown(part, y)
          if isAlike {
            func row(_ index: Int) -> UnsafePointer<Float> {
              sources[index].row(y) + sources[index].offset(of: part.columns)
            }
            let place = target.row(y) + (part.columns.lowerBound - target.domain.x) * channels
            switch shown {
            case .first, .second:
              place.update(from: row(shown == .first ? 0 : 1), count: part.columns.count * channels)
            case .both:
              tools.kernels.float_blend_masked(
                row(0), row(1), row(2), place, part.columns.count, channels)
            }
            continue
          }
          // Hidden rows may be missing.
          let a = shown == .second ? nil : BlendSource(sources[0], part.columns, y)
          let b = shown == .first ? nil : BlendSource(sources[1], part.columns, y)
          let mask = shown == .both ? BlendSource(sources[2], part.columns, y) : nil
          for x in part.columns {
            let value =
              if let a, let b, let mask {
                Blend.mixed(a.pixel(x), b.pixel(x), mask.pixel(x).x)
              } else {
                (a ?? b)?.pixel(x) ?? .zero
              }
            setPixel(result, x - target.domain.x, target.layout, value)
          }
        }
      }
    }
  }
}

/// Columns of a source's row, read by absolute places.
private struct BlendSource {
  private let row: UnsafeBufferPointer<Float>
  private let left: Int
  private let layout: PixelFormat.Layout

  init(_ source: ImageSource<Float>, _ columns: Range<Int>, _ y: Int) {
    row = UnsafeBufferPointer(
      start: source.row(y) + source.offset(of: columns),
      count: columns.count * source.rows.channels)
    left = columns.lowerBound
    layout = source.rows.layout
  }

  func pixel(_ x: Int) -> SIMD4<Float> { FrostglassCPU.pixel(row, x - left, layout) }
}

/// The rows of two images to mix, and of the result: the first may be the result's.
struct MixedRow {
  let first: UnsafePointer<Int16>
  let second: UnsafePointer<Int16>
  let target: UnsafeMutablePointer<Int16>
}

/// Mixes stretches of rows; most of what a mask covers, it covers wholly.
struct RowMixer {
  private let kernels: fgk_row_kernels
  private let channels: Int
  private let weights: UnsafeMutablePointer<Int16>
  private let mixed: UnsafeMutablePointer<Int16>

  init(_ tools: RowTools, _ target: ImageRows<Int16>) {
    kernels = tools.kernels
    channels = target.channels
    weights = tools.scratch(target.domain.width)
    mixed = tools.scratch(target.rowLength)
  }

  /// By a row of a mask's image.
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
    // Whole vectors are written: over samples that are written next, or next to samples that stay.
    let isInPlace = row.first == UnsafePointer(row.target)
    let room = isInPlace ? mixed : row.target + place
    kernels.mix(row.first + place, row.second + place, weights, room, end - x, channels)
    if isInPlace { (row.target + place).update(from: mixed, count: (end - x) * channels) }
  }
}
