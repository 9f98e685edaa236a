internal import FrostglassCore

extension Gather {
  /// The mean of all views, pixel by pixel.
  func reference(_ source: SourceRows, into slot: Slot) -> WorkingPicture {
    var picture = WorkingPicture(slot)
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

/// The pixels of a source picture, going on beyond its edges.
private struct SourcePixels {
  private let source: Source
  private let domain: Rect
  private let layout: Layout
  private let samples: UnsafeBufferPointer<Float>

  init(_ rows: SourceRows, _ samples: UnsafeBufferPointer<Float>) {
    source = rows.source
    domain = rows.picture.domain
    layout = rows.picture.layout
    self.samples = samples
  }

  /// Between four samples, at a place in 1/4096 of a sample.
  @inline(__always)
  func interpolated(_ x: Int, _ y: Int) -> SIMD4<Float> {
    let bits = AffineMap.positionBits
    let fractions = (1 << bits) - 1
    let (column, row) = (x >> bits, y >> bits)
    let fx = Float(x & fractions) / Float(1 << bits)
    let fy = Float(y & fractions) / Float(1 << bits)
    let upper = (1 - fx) * at(column, row) + fx * at(column + 1, row)
    let lower = (1 - fx) * at(column, row + 1) + fx * at(column + 1, row + 1)
    return (1 - fy) * upper + fy * lower
  }

  @inline(__always)
  private func at(_ x: Int, _ y: Int) -> SIMD4<Float> {
    guard let column = resolved(x, source.x), let row = resolved(y, source.y) else { return .zero }
    let length = domain.width * layout.channels
    let start = (row - domain.y) * length
    let samples = UnsafeBufferPointer(rebasing: samples[start..<start + length])
    return pixel(samples, column - domain.x, layout)
  }

  @inline(__always)
  private func resolved(_ coordinate: Int, _ edge: AxisEdge?) -> Int? {
    guard let edge else { return coordinate }
    return edge.mode.resolve(coordinate, in: edge.range)
  }
}
