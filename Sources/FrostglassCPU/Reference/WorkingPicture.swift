internal import FrostglassCore

/// An intermediate image of a plan in memory: interleaved floats of a slot's domain.
struct WorkingPicture: Sendable {
  let domain: Rect
  let layout: PixelFormat.Layout
  var samples: [Float]

  var channels: Int { layout.channels }
  /// Samples per row.
  var rowLength: Int { domain.width * layout.channels }

  init(_ slot: Slot) {
    self.init(domain: slot.domain, layout: slot.layout)
  }

  init(domain: Rect, layout: PixelFormat.Layout) {
    self.domain = domain
    self.layout = layout
    samples = [Float](repeating: 0, count: domain.area * layout.channels)
  }

  /// Index of the first sample of a row, given in absolute coordinates.
  func rowStart(_ y: Int) -> Int { (y - domain.y) * rowLength }

  /// Takes over a part.
  mutating func replace(_ part: Rect, with made: WorkingPicture) {
    let offset = (part.x - domain.x) * channels
    for y in part.rows {
      let (to, from) = (rowStart(y) + offset, made.rowStart(y))
      samples.replaceSubrange(
        to..<to + made.rowLength, with: made.samples[from..<from + made.rowLength])
    }
  }

  /// Computes the image row by row; `body` gets the row's absolute y and its samples.
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
func pixel(_ row: UnsafeBufferPointer<Float>, _ x: Int, _ layout: PixelFormat.Layout) -> SIMD4<
  Float
> {
  switch layout {
  case .gray: SIMD4(row[x], row[x], row[x], 1)
  case .rgb: SIMD4(row[3 * x], row[3 * x + 1], row[3 * x + 2], 1)
  case .rgba: SIMD4(row[4 * x], row[4 * x + 1], row[4 * x + 2], row[4 * x + 3])
  }
}

/// Writes a pixel; a gray image takes the red.
@inline(__always)
func setPixel(
  _ row: UnsafeMutableBufferPointer<Float>, _ x: Int, _ layout: PixelFormat.Layout,
  _ value: SIMD4<Float>
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

/// A source image as a step sees it: rows in absolute coordinates, going on beyond its edges.
struct SourceRows {
  let picture: WorkingPicture
  let source: Source

  /// Calls `body` with a row's samples, or with `nil` where the row is transparent.
  func withRow(_ y: Int, _ body: (UnsafeBufferPointer<Float>?) -> Void) {
    guard let resolved = source.y.map({ $0.mode.resolve(y, in: $0.range) }) ?? y else {
      return body(nil)
    }
    let start = picture.rowStart(resolved)
    picture.samples.withUnsafeBufferPointer { all in
      body(UnsafeBufferPointer(rebasing: all[start..<start + picture.rowLength]))
    }
  }

  /// Returns the pixel index in a row of each of `columns`; -1 where it is transparent.
  func indices(of columns: Range<Int>) -> [Int] {
    columns.map { x in
      guard let resolved = source.x.map({ $0.mode.resolve(x, in: $0.range) }) ?? x else {
        return -1
      }
      return resolved - picture.domain.x
    }
  }

  /// Copies the pixels at `indices` of a row one after another.
  func gather(
    _ row: UnsafeBufferPointer<Float>?, _ indices: [Int],
    into gathered: UnsafeMutableBufferPointer<Float>
  ) {
    let channels = picture.channels
    for (position, index) in indices.enumerated() {
      for channel in 0..<channels {
        let value: Float = if index >= 0, let row { row[index * channels + channel] } else { 0 }
        gathered[position * channels + channel] = value
      }
    }
  }
}

extension SourceRows {
  /// An image each of whose pixels is made from the source's pixel in the same place.
  @inline(__always)
  func eachPixel(
    into slot: Slot, _ change: (SIMD4<Float>) -> SIMD4<Float>
  ) -> WorkingPicture {
    var made = WorkingPicture(slot)
    let layout = picture.layout
    let offset = slot.domain.x - picture.domain.x
    made.fillRows { y, target in
      withRow(y) { row in
        guard let row else { return }
        for x in 0..<slot.domain.width {
          setPixel(target, x, slot.layout, change(pixel(row, offset + x, layout)))
        }
      }
    }
    return made
  }
}

/// Some rows of a source as pixels, with all columns that a step reads, beyond the edges too.
struct PixelRows {
  /// Pixels per row.
  let width: Int
  private let indices: [Int]
  private let layout: PixelFormat.Layout
  private var pixels: [SIMD4<Float>]

  /// - Parameters:
  ///   - columns: the columns that are read.
  ///   - count: the number of rows.
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
