internal import FrostglassCore

extension Bilateral {
  /// The window's mean, weighted by distance and by difference from its center.
  func reference(_ source: SourceRows, into slot: Slot) -> WorkingImage {
    var picture = WorkingImage(slot)
    let (across, down) = (radius.x * spacing, radius.y)
    var window = PixelRows(
      source, columns: slot.domain.columns.expanded(by: across), count: 2 * down + 1)
    picture.fillRows { y, row in
      window.load((-down...down).lazy.map { y + $0 * spacing }, of: source)
      let width = window.width
      window.withPixels { pixels in
        for column in 0..<slot.domain.width {
          let center = pixels[down * width + across + column]
          setPixel(row, column, slot.layout, mean(pixels, width, around: column, center))
        }
      }
    }
    return picture
  }

  /// - Parameters:
  ///   - width: pixels per row of the window's rows.
  ///   - column: where the window begins in each of them.
  private func mean(
    _ pixels: UnsafeBufferPointer<SIMD4<Float>>, _ width: Int, around column: Int,
    _ center: SIMD4<Float>
  ) -> SIMD4<Float> {
    var sum = SIMD4<Float>.zero
    var weights: Float = 0
    for j in -radius.y...radius.y {
      var rowSum = SIMD4<Float>.zero
      var rowWeights: Float = 0
      let first = (j + radius.y) * width + column
      for i in -radius.x...radius.x {
        let sample = pixels[first + (i + radius.x) * spacing]
        let weight = x[abs(i)] * rangeWeight(sample - center)
        rowSum.addProduct(SIMD4(repeating: weight), sample)
        rowWeights += weight
      }
      sum.addProduct(SIMD4(repeating: y[abs(j)]), rowSum)
      weights.addProduct(y[abs(j)], rowWeights)
    }
    return sum / weights
  }

  @inline(__always)
  private func rangeWeight(_ difference: SIMD4<Float>) -> Float {
    var square = difference.x * difference.x
    square.addProduct(difference.y, difference.y)
    square.addProduct(difference.z, difference.z)
    square.addProduct(difference.w, difference.w)
    switch range {
    case .gaussian(let exponent): return PowerOfTwo.power(square * exponent)
    case .linear(let fall):
      let lost = square.squareRoot() * fall
      // NaN is not less than 1.
      return 1 - (lost < 1 ? lost : 1)
    }
  }
}
