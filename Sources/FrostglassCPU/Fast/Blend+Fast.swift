internal import CKernels
internal import FrostglassCore

extension Blend {
  /// Mixes with numbers or a mask, or lays over; `nil` for modes that have only the reference kernel.
  func fast(
    _ sources: [PictureSource<Int16>], into target: PictureRows<Int16>, _ tools: RowTools
  ) -> RowProgram? {
    switch mode {
    case .mix(let amount): mix(sources[0], sources[1], amount, into: target, tools)
    case .masked: masked(sources, into: target, tools)
    case .over: over(sources[0], sources[1], into: target, tools)
    case .multiply, .divide, .normalize, .plusLighter: nil
    }
  }

  private func mix(
    _ first: PictureSource<Int16>, _ second: PictureSource<Int16>, _ amount: Float,
    into target: PictureRows<Int16>, _ tools: RowTools
  ) -> RowProgram {
    let columns = target.domain.columns
    let copyFirst = PixelCopy(first, columns, channels: target.channels, tools)
    let copySecond = PixelCopy(second, columns, channels: target.channels, tools)
    let other: UnsafeMutablePointer<Int16> = tools.scratch(target.rowLength)
    return { rows in
      for y in rows {
        copyFirst.row(y, into: target.row(y))
        copySecond.row(y, into: other)
        tools.kernels.blend(target.row(y), other, amount, target.rowLength)
      }
    }
  }

  /// - Returns: `nil` for gray pictures.
  private func over(
    _ top: PictureSource<Int16>, _ bottom: PictureSource<Int16>, into target: PictureRows<Int16>,
    _ tools: RowTools
  ) -> RowProgram? {
    guard target.channels == 4 else { return nil }
    let columns = target.domain.columns
    let copyTop = PixelCopy(top, columns, channels: 4, tools)
    let copyBottom = PixelCopy(bottom, columns, channels: 4, tools)
    let other: UnsafeMutablePointer<Int16> = tools.scratch(target.rowLength)
    return { rows in
      for y in rows {
        copyTop.row(y, into: target.row(y))
        copyBottom.row(y, into: other)
        tools.kernels.blend_over(target.row(y), other, columns.count)
      }
    }
  }

  /// Mixes a stretch of a row; most of what a mask covers, it covers wholly.
  private func mix(
    _ first: UnsafeMutablePointer<Int16>, _ second: UnsafePointer<Int16>,
    _ mask: UnsafePointer<Int16>, _ count: Int, _ channels: Int, _ tools: RowTools
  ) {
    var x = 0
    while x < count {
      let amount = mask[x]
      var end = x + 1
      if amount == Int16(FG_FULL) || amount == -Int16(FG_FULL) {
        while end < count, mask[end] == amount { end += 1 }
        if amount > 0 {
          (first + x * channels).update(from: second + x * channels, count: (end - x) * channels)
        }
      } else {
        while end < count, abs(Int32(mask[end])) != FG_FULL { end += 1 }
        // Whole vectors are written, so there should be nothing left of the last.
        let vector = Blend.vector / channels
        end = min(x + (end - x + vector - 1) / vector * vector, count)
        tools.kernels.blend_masked(
          first + x * channels, second + x * channels, mask + x, end - x, channels)
      }
      x = end
    }
  }

  /// A multiple of the samples that any kernel writes at once.
  private static let vector = 16

  private func masked(
    _ sources: [PictureSource<Int16>], into target: PictureRows<Int16>, _ tools: RowTools
  ) -> RowProgram {
    let parts = columnParts(target.domain.columns)
    let copies = parts.map { part in
      (
        first: PixelCopy(sources[0], part.columns, channels: target.channels, tools),
        second: PixelCopy(sources[1], part.columns, channels: target.channels, tools)
      )
    }
    let mask = sources[2]
    let other: UnsafeMutablePointer<Int16> = tools.scratch(target.rowLength)
    return { rows in
      for y in rows {
        for (part, copy) in zip(parts, copies) {
          let place = target.row(y) + (part.columns.lowerBound - target.domain.x) * target.channels
          switch shown(part, y) {
          case .first: copy.first.row(y, into: place)
          case .second: copy.second.row(y, into: place)
          case .both:
            copy.first.row(y, into: place)
            copy.second.row(y, into: other)
            let amounts = mask.row(y) + mask.offset(of: part.columns)
            mix(place, other, amounts, part.columns.count, target.channels, tools)
          }
        }
      }
    }
  }
}

/// Columns in which the same sources show, whatever the row.
struct BlendColumns {
  var columns: Range<Int>
  var hasFirst: Bool
  var hasSecond: Bool
}

/// What shows in a stretch of a row.
enum BlendShown {
  case first, second, both
}

extension Blend {
  /// A row of a masked blend cut where a source's part begins or ends; none is empty.
  func columnParts(_ columns: Range<Int>) -> [BlendColumns] {
    let cuts = [firstPart, secondPart].compactMap { $0?.columns }
      .flatMap { [$0.lowerBound, $0.upperBound] }.filter { columns.contains($0) }
    let bounds = Set(cuts + [columns.lowerBound, columns.upperBound]).sorted()
    return zip(bounds, bounds.dropFirst()).map { low, high in
      BlendColumns(
        columns: low..<high, hasFirst: firstPart?.columns.contains(low) ?? true,
        hasSecond: secondPart?.columns.contains(low) ?? true)
    }
  }

  /// What shows in a stretch of row `y`.
  func shown(_ part: BlendColumns, _ y: Int) -> BlendShown {
    if !part.hasSecond || !(secondPart?.rows.contains(y) ?? true) { return .first }
    if !part.hasFirst || !(firstPart?.rows.contains(y) ?? true) { return .second }
    return .both
  }
}
