internal import FrostglassCore

/// An intermediate picture of a plan in memory: interleaved floats of a slot's domain.
struct WorkingPicture: Sendable {
  let domain: Rect
  let layout: Layout
  var samples: [Float]

  var channels: Int { layout.channels }
  /// Samples per row.
  var rowLength: Int { domain.width * layout.channels }

  init(_ slot: Slot) {
    self.init(domain: slot.domain, layout: slot.layout)
  }

  init(domain: Rect, layout: Layout) {
    self.domain = domain
    self.layout = layout
    samples = [Float](repeating: 0, count: domain.area * layout.channels)
  }

  /// Index of the first sample of a row, given in absolute coordinates.
  func rowStart(_ y: Int) -> Int { (y - domain.y) * rowLength }

  /// Computes the picture row by row; `body` gets the row's absolute y and its samples.
  mutating func fillRows(_ body: (Int, UnsafeMutableBufferPointer<Float>) -> Void) {
    let length = rowLength
    let rows = domain.rows
    samples.withUnsafeMutableBufferPointer { all in
      for (index, y) in rows.enumerated() {
        body(y, UnsafeMutableBufferPointer(rebasing: all[index * length..<(index + 1) * length]))
      }
    }
  }
}

/// A pixel as red, green, blue and alpha, whatever the layout: gray is repeated, alpha is 1 where
/// there is none.
@inline(__always)
func pixel(_ row: UnsafeBufferPointer<Float>, _ x: Int, _ layout: Layout) -> SIMD4<Float> {
  switch layout {
  case .gray: SIMD4(row[x], row[x], row[x], 1)
  case .rgb: SIMD4(row[3 * x], row[3 * x + 1], row[3 * x + 2], 1)
  case .rgba: SIMD4(row[4 * x], row[4 * x + 1], row[4 * x + 2], row[4 * x + 3])
  }
}

/// Writes a pixel; a gray picture takes the red.
@inline(__always)
func setPixel(
  _ row: UnsafeMutableBufferPointer<Float>, _ x: Int, _ layout: Layout, _ value: SIMD4<Float>
) {
  switch layout {
  case .gray:
    row[x] = value.x
  case .rgb:
    row[3 * x] = value.x
    row[3 * x + 1] = value.y
    row[3 * x + 2] = value.z
  case .rgba:
    row[4 * x] = value.x
    row[4 * x + 1] = value.y
    row[4 * x + 2] = value.z
    row[4 * x + 3] = value.w
  }
}
