internal import FrostglassCore

extension Gather {
  /// The mean of all views, pixel by pixel.
  func reference(_ source: SourceRows, into slot: Slot) -> WorkingImage {
    var picture = WorkingImage(slot)
    source.picture.samples.withUnsafeBufferPointer { samples in
      let pixels = SourcePixels(source, samples)
      picture.fillRows { y, target in
        for (index, x) in slot.domain.columns.enumerated() {
          var sum = SIMD4<Float>.zero
          for view in views {
            let position = view.map.position(x, y)
            sum += view.weight * pixels.interpolated(position.x, position.y)
          }
          setPixel(target, index, slot.layout, sum)
        }
      }
    }
    return picture
  }
}

/// The pixels of a source image, going on beyond its edges.
private struct SourcePixels {
  private let source: Source
  private let domain: Rect
  private let layout: PixelFormat.Layout
  private let samples: UnsafeBufferPointer<Float>
  /// Pixels that stand for themselves, and whose right and lower neighbors do.
  private let inside: (columns: Range<Int>, rows: Range<Int>)

  init(_ rows: SourceRows, _ samples: UnsafeBufferPointer<Float>) {
    source = rows.source
    domain = rows.picture.domain
    layout = rows.picture.layout
    self.samples = samples
    func plain(_ present: Range<Int>, _ edge: AxisEdge?) -> Range<Int> {
      let plain = edge.map { present.clamped(to: $0.range) } ?? present
      return plain.lowerBound..<max(plain.lowerBound, plain.upperBound - 1)
    }
    inside = (plain(domain.columns, source.x), plain(domain.rows, source.y))
  }

  /// Between four samples, at a place in 1/4096 of a sample.
  @inline(__always)
  func interpolated(_ x: Int, _ y: Int) -> SIMD4<Float> {
    let bits = AffineMap.positionBits
    let fractions = (1 << bits) - 1
    let (column, row) = (x >> bits, y >> bits)
    let fx = Float(x & fractions) / Float(1 << bits)
    let fy = Float(y & fractions) / Float(1 << bits)
    let (a, b, c, d) = corners(column, row)
    let upper = (1 - fx) * a + fx * b
    let lower = (1 - fx) * c + fx * d
    return (1 - fy) * upper + fy * lower
  }

  /// A pixel, its right neighbor, and the two below.
  @inline(__always)
  private func corners(_ x: Int, _ y: Int) -> (
    SIMD4<Float>, SIMD4<Float>, SIMD4<Float>, SIMD4<Float>
  ) {
    guard inside.columns.contains(x), inside.rows.contains(y) else {
      return (at(x, y), at(x + 1, y), at(x, y + 1), at(x + 1, y + 1))
    }
    let channels = layout.channels
    let length = domain.width * channels
    let first = (y - domain.y) * length + (x - domain.x) * channels
    return (
      stored(first), stored(first + channels), stored(first + length),
      stored(first + length + channels)
    )
  }

  @inline(__always)
  private func at(_ x: Int, _ y: Int) -> SIMD4<Float> {
    guard let column = resolved(x, source.x), let row = resolved(y, source.y) else { return .zero }
    return stored(((row - domain.y) * domain.width + column - domain.x) * layout.channels)
  }

  /// The pixel whose first sample is at `index`.
  @inline(__always)
  private func stored(_ index: Int) -> SIMD4<Float> {
    switch layout {
    case .gray: SIMD4(samples[index], samples[index], samples[index], 1)
    case .rgb: SIMD4(samples[index], samples[index + 1], samples[index + 2], 1)
    case .rgba:
      SIMD4(samples[index], samples[index + 1], samples[index + 2], samples[index + 3])
    }
  }

  @inline(__always)
  private func resolved(_ coordinate: Int, _ edge: AxisEdge?) -> Int? {
    guard let edge else { return coordinate }
    return edge.mode.resolve(coordinate, in: edge.range)
  }
}
