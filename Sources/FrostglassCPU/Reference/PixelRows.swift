internal import FrostglassCore

/// Some rows of a source as pixels, with all columns that a step reads, beyond the edges too.
struct PixelRows {
  /// Pixels per row.
  let width: Int
  private let indices: [Int]
  private let layout: Layout
  private var pixels: [SIMD4<Float>]

  /// - Parameters:
  ///   - columns: the columns that are read.
  ///   - count: how many rows.
  init(_ source: SourceRows, columns: Range<Int>, count: Int) {
    width = columns.count
    layout = source.picture.layout
    indices = source.indices(of: columns)
    pixels = [SIMD4<Float>](repeating: .zero, count: columns.count * count)
  }

  /// Replaces all rows: `rows` in order, of the same source.
  mutating func load(_ rows: some Sequence<Int>, of source: SourceRows) {
    let (width, indices, layout) = (width, indices, layout)
    pixels.withUnsafeMutableBufferPointer { pixels in
      for (place, y) in rows.enumerated() {
        source.withRow(y) { row in
          for (column, index) in indices.enumerated() {
            let value =
              if index >= 0, let row { pixel(row, index, layout) } else { SIMD4<Float>.zero }
            pixels[place * width + column] = value
          }
        }
      }
    }
  }

  /// Calls `body` with the rows one after another.
  func withPixels(_ body: (UnsafeBufferPointer<SIMD4<Float>>) -> Void) {
    pixels.withUnsafeBufferPointer(body)
  }
}
