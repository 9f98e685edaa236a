internal import FrostglassCore

extension Grain {
  /// Noise on every pixel; alpha stays as it is.
  func reference(_ source: SourceRows, into slot: Slot) -> WorkingPicture {
    var picture = WorkingPicture(slot)
    let layout = source.picture.layout
    let offset = slot.domain.x - source.picture.domain.x
    picture.fillRows { y, target in
      source.withRow(y) { row in
        guard let row else { return }
        for (index, x) in slot.domain.columns.enumerated() {
          let noisy = added(noise(x, y), to: pixel(row, offset + index, layout))
          setPixel(target, index, slot.layout, noisy)
        }
      }
    }
    return picture
  }

  /// Fractions of full scale, for red, green and blue.
  private func noise(_ x: Int, _ y: Int) -> SIMD4<Float> {
    let (columns, rows) = (growth.start(of: x), growth.start(of: y))
    var sum = SIMD3<Float>.zero
    for (j, down) in growth.phases[rows.phase].taps.enumerated() {
      var row = SIMD3<Float>.zero
      for (i, across) in growth.phases[columns.phase].taps.enumerated() {
        row += across * SIMD3<Float>(numbers(x: columns.source + i, y: rows.source + j))
      }
      sum += down * row
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
      // A color that is out of range already stays where it is.
      let (low, high) = (pointwiseMin(color, .zero), pointwiseMax(color, full))
      color = pointwiseMax(pointwiseMin(color + noise * alpha, high), low)
    }
    if encodes { color = color.dividedBy(alpha).mapColors(TransferCurve.decode) * alpha }
    color.w = alpha
    return color
  }
}

extension SIMD4<Float> {
  /// The same of red, green and blue.
  fileprivate func mapColors(_ curve: (Float) -> Float) -> SIMD4<Float> {
    SIMD4(curve(x), curve(y), curve(z), w)
  }
}
