internal import FrostglassCore

extension Blend {
  /// Any mode, in floats.
  func fast(_ sources: [PictureSource<Float>], into target: PictureRows<Float>) -> RowProgram {
    if mode == .masked { return masked(sources, into: target) }
    return { rows in
      for y in rows {
        let a = BlendSource(sources[0], target.domain.columns, y)
        let b = BlendSource(sources[1], target.domain.columns, y)
        let result = UnsafeMutableBufferPointer(start: target.row(y), count: target.rowLength)
        for (index, x) in target.domain.columns.enumerated() {
          setPixel(result, index, target.layout, mixed(a.pixel(x), b.pixel(x)))
        }
      }
    }
  }

  private func masked(
    _ sources: [PictureSource<Float>], into target: PictureRows<Float>
  ) -> RowProgram {
    let parts = columnParts(target.domain.columns)
    return { rows in
      for y in rows {
        let result = UnsafeMutableBufferPointer(start: target.row(y), count: target.rowLength)
        for part in parts {
          let shown = shown(part, y)
          // What does not show need not be there.
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
  private let layout: Layout

  init(_ source: PictureSource<Float>, _ columns: Range<Int>, _ y: Int) {
    row = UnsafeBufferPointer(
      start: source.row(y) + source.offset(of: columns),
      count: columns.count * source.rows.channels)
    left = columns.lowerBound
    layout = source.rows.layout
  }

  func pixel(_ x: Int) -> SIMD4<Float> { FrostglassCPU.pixel(row, x - left, layout) }
}
