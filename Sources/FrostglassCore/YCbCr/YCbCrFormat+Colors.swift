// The numbers of ITU-T H.273, which gives those of BT.601, BT.709 and BT.2020 in one form.
extension YCbCrFormat {
  /// The code of black, and how many there are from black to white.
  private var luma: (black: Double, span: Double) {
    let step = Double(1 << (bits.rawValue - 8))
    return range == .narrow ? (16 * step, 219 * step) : (0, bits.largest)
  }

  /// The code of no difference, and how many there are from the smallest to the largest.
  private var chroma: (middle: Double, span: Double) {
    let step = Double(1 << (bits.rawValue - 8))
    return (128 * step, range == .narrow ? 224 * step : bits.largest)
  }

  /// From brightness, blue and red difference, as fractions of the largest code, to colors.
  ///
  /// With weights kr, kg and kb, brightness is `Y = kr R + kg G + kb B`, and the differences are
  /// `Cb = (B − Y) / 2 (1 − kb)` and `Cr = (R − Y) / 2 (1 − kr)`, which are in −½…½. Solved for R
  /// and B at once, and with these for G.
  var toColors: ColorMatrix {
    let (red, green, blue) = (matrix.red, matrix.green, matrix.blue)
    let fromBlue = 2 * (1 - blue)
    let fromRed = 2 * (1 - red)
    func row(_ cb: Double, _ cr: Double) -> SIMD4<Double> {
      SIMD4(
        bits.largest / luma.span, cb * bits.largest / chroma.span, cr * bits.largest / chroma.span,
        -luma.black / luma.span - (cb + cr) * chroma.middle / chroma.span)
    }
    return ColorMatrix(rows: [
      row(0, fromRed), row(-fromBlue * blue / green, -fromRed * red / green), row(fromBlue, 0),
    ])
  }

  /// From colors to brightness, blue and red difference, as fractions of the largest code.
  var fromColors: [SIMD4<Double>] {
    let weights = SIMD4(matrix.red, matrix.green, matrix.blue, 0)
    func difference(_ color: SIMD4<Double>, _ weight: Double) -> SIMD4<Double> {
      var row = (color - weights) * (chroma.span / (2 * (1 - weight) * bits.largest))
      row.w = chroma.middle / bits.largest
      return row
    }
    var brightness = weights * (luma.span / bits.largest)
    brightness.w = luma.black / bits.largest
    return [
      brightness, difference(SIMD4(0, 0, 1, 0), matrix.blue),
      difference(SIMD4(1, 0, 0, 0), matrix.red),
    ]
  }
}
