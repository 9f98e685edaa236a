internal import CKernels
internal import FrostglassCore

extension Displace {
  /// Reads each pixel from where the map says.
  ///
  /// - Returns: `nil` for gray images, which only the reference kernel makes.
  func fast(
    _ source: ImageSource<Int16>, _ map: ImageSource<Int16>, into target: ImageRows<Int16>
  ) -> RowProgram? {
    guard target.channels == 4, source.rows.channels == 4, map.rows.channels == 4 else {
      return nil
    }
    let columns = target.domain.columns
    let offset = map.offset(of: columns)
    let pixels = DisplacedPixels(source)
    // A map's sample is twice full scale away from 0.5.
    let scale = span / Float(2 * FG_FULL)
    return { rows in
      for y in rows {
        let moves = map.row(y) + offset
        let result = UnsafeMutableRawPointer(target.row(y))
        for (index, x) in columns.enumerated() {
          let move = SIMD2(Float(moves[4 * index]), Float(moves[4 * index + 1]))
          let value = self.value(pixels, x, y, move, scale)
          result.storeBytes(
            of: value.nearestSamples,
            toByteOffset: index * MemoryLayout<SIMD4<Int16>>.size, as: SIMD4<Int16>.self)
        }
      }
    }
  }

  @inline(__always)
  private func value(
    _ pixels: DisplacedPixels, _ x: Int, _ y: Int, _ move: SIMD2<Float>, _ scale: SIMD3<Float>
  ) -> SIMD4<Float> {
    if move == .zero { return pixels.at(x, y) }
    var value = pixels.interpolated(x, y, move * scale.y)
    guard disperses else { return value }
    value.x = min(pixels.interpolated(x, y, move * scale.x).x, value.w)
    value.y = min(value.y, value.w)
    value.z = min(pixels.interpolated(x, y, move * scale.z).z, value.w)
    return value
  }
}

/// Pixels of fixed-point rows, also beyond the image's edges, as they are stored.
private struct DisplacedPixels {
  private let source: ImageSource<Int16>
  private let columns: Range<Int>

  init(_ source: ImageSource<Int16>) {
    self.source = source
    columns = source.rows.domain.columns
  }

  @inline(__always)
  func at(_ x: Int, _ y: Int) -> SIMD4<Float> { pixel(source.row(y), x) }

  /// The bilinear value at a pixel plus a displacement.
  @inline(__always)
  func interpolated(_ x: Int, _ y: Int, _ move: SIMD2<Float>) -> SIMD4<Float> {
    let right = move.x.wholePart
    let down = move.y.wholePart
    let part = move - SIMD2(Float(right), Float(down))
    let column = x + right
    let upper = source.row(y + down)
    let lower = source.row(y + down + 1)
    let rest = 1 - part.x
    let top = pixel(upper, column) * rest + pixel(upper, column + 1) * part.x
    let bottom = pixel(lower, column) * rest + pixel(lower, column + 1) * part.x
    return top * (1 - part.y) + bottom * part.y
  }

  @inline(__always)
  private func pixel(_ row: UnsafePointer<Int16>, _ x: Int) -> SIMD4<Float> {
    var column = x
    if let edge = source.source.x, !edge.range.contains(x) {
      guard let resolved = edge.mode.resolve(x, in: edge.range) else {
        return SIMD4(repeating: Float(Int16.transparent))
      }
      column = resolved
    }
    let samples = UnsafeRawPointer(row + (column - columns.lowerBound) * 4)
    return SIMD4<Float>(samples.loadUnaligned(as: SIMD4<Int16>.self))
  }
}

// Swift's own rounding calls functions of the C library, sample for sample.
extension Float {
  /// The whole number at or below.
  @inline(__always)
  fileprivate var wholePart: Int {
    let truncated = Int(self)
    return self < Float(truncated) ? truncated - 1 : truncated
  }
}

extension SIMD4<Float> {
  /// Fixed-point samples, each to the nearest.
  @inline(__always)
  fileprivate var nearestSamples: SIMD4<Int16> {
    let full = Float(FG_FULL)
    let moved = self + (full + 0.5)
    return SIMD4<Int16>(
      Int16(truncatingIfNeeded: Int(moved.x)), Int16(truncatingIfNeeded: Int(moved.y)),
      Int16(truncatingIfNeeded: Int(moved.z)), Int16(truncatingIfNeeded: Int(moved.w)))
      &- Int16(FG_FULL)
  }
}
