internal import FrostglassCore

extension Grain {
  /// Noise on every pixel; alpha stays as it is.
  func reference(_ source: SourceRows, into slot: Slot) -> WorkingImage {
    var picture = WorkingImage(slot)
    let layout = source.picture.layout
    let offset = slot.domain.x - source.picture.domain.x
    let columns = slot.domain.columns.map { LatticePoints($0, growth) }
    picture.fillRows { y, target in
      let rows = LatticePoints(y, growth)
      source.withRow(y) { row in
        guard let row else { return }
        for (index, column) in columns.enumerated() {
          let noisy = added(noise(column, rows), to: pixel(row, offset + index, layout))
          setPixel(target, index, slot.layout, noisy)
        }
      }
    }
    return picture
  }

  /// Fractions of full scale, for red, green and blue.
  private func noise(_ columns: LatticePoints, _ rows: LatticePoints) -> SIMD4<Float> {
    var sum = SIMD3<Float>.zero
    for j in 0..<rows.count {
      var row = SIMD3<Float>.zero
      for i in 0..<columns.count {
        row += columns.taps[i] * SIMD3<Float>(numbers(x: columns.first + i, y: rows.first + j))
      }
      sum += rows.taps[j] * row
    }
    return SIMD4((isColored ? sum : SIMD3(repeating: sum.x)) * amplitude, 0)
  }

  private func added(_ noise: SIMD4<Float>, to pixel: SIMD4<Float>) -> SIMD4<Float> {
    let alpha = pixel.w
    var color = pixel
    if encodes { color = color.dividedBy(alpha).mapColors(TransferCurve.encode) * alpha }
    let full = SIMD4<Float>(repeating: alpha)
    switch form {
    case .bell:
      let room = pointwiseMax(pointwiseMin(color, full - color), .zero)
      color += pointwiseMax(pointwiseMin(noise * alpha, room), -room)
    case .even:
      // A color outside the range is not moved farther out.
      let (low, high) = (pointwiseMin(color, .zero), pointwiseMax(color, full))
      color = pointwiseMax(pointwiseMin(color + noise * alpha, high), low)
    }
    if encodes { color = color.dividedBy(alpha).mapColors(TransferCurve.decode) * alpha }
    color.w = alpha
    return color
  }
}

/// The lattice points along one axis that a pixel's noise is made of.
private struct LatticePoints {
  let first: Int
  let count: Int
  let taps: SIMD4<Float>

  init(_ pixel: Int, _ growth: Polyphase) {
    let start = growth.start(of: pixel)
    let taps = growth.phases[start.phase].taps
    first = start.source
    count = taps.count
    self.taps = SIMD4(taps + [Float](repeating: 0, count: 4 - taps.count))
  }
}

extension SIMD4<Float> {
  /// The same of red, green and blue.
  fileprivate func mapColors(_ curve: (Float) -> Float) -> SIMD4<Float> {
    SIMD4(curve(x), curve(y), curve(z), w)
  }
}
