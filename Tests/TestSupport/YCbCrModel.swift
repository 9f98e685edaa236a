package import FrostglassCore

/// The colors that an image in planes stands for, in double precision, written down apart from the
/// code under test: one pixel from the nearest samples.
package struct YCbCrModel: Sendable {
  private let picture: YCbCrImage

  package init(_ picture: YCbCrImage) { self.picture = picture }

  /// Red, green and blue, limited to 0…1.
  package func color(_ x: Int, _ y: Int) -> SIMD3<Double> {
    let bits = picture.format.bits.rawValue
    let one = Double(1 << (bits - 8))
    let isNarrow = picture.format.range == .narrow
    let largest = Double(1 << bits - 1)
    let luma = Double(picture.luma(x, y))
    let brightness = isNarrow ? (luma - 16 * one) / (219 * one) : luma / largest
    let span = isNarrow ? 224 * one : largest
    let blue = (difference(x, y, isRed: false) - 128 * one) / span
    let red = (difference(x, y, isRed: true) - 128 * one) / span
    let (kr, kb): (Double, Double) =
      switch picture.format.matrix {
      case .bt601: (0.299, 0.114)
      case .bt709: (0.2126, 0.0722)
      case .bt2020: (0.2627, 0.0593)
      }
    let r = brightness + red * (2 - 2 * kr)
    let b = brightness + blue * (2 - 2 * kb)
    // What is left of brightness is green's.
    let g = (brightness - kr * r - kb * b) / (1 - kr - kb)
    return SIMD3(r, g, b).clamped(lowerBound: .zero, upperBound: .one)
  }

  /// The code of a difference at a pixel, linear between samples.
  private func difference(_ x: Int, _ y: Int, isRed: Bool) -> Double {
    let format = picture.format
    let columns = places(x, format.sampling.columns, format.siting.x, picture.size.width)
    let rows = places(y, format.sampling.rows, format.siting.y, picture.size.height)
    var sum = 0.0
    for (row, vertical) in rows {
      for (column, horizontal) in columns {
        sum += vertical * horizontal * Double(picture.chroma(column, row, isRed: isRed))
      }
    }
    return sum
  }

  /// The samples on both sides of a pixel, and their weights.
  private func places(
    _ pixel: Int, _ pitch: Int, _ place: YCbCrFormat.Siting.Place, _ pixels: Int
  ) -> [(Int, Double)] {
    guard pitch > 1 else { return [(pixel, 1)] }
    // Where the pixel is among the samples: one is on the first pixel of each, or half a pixel after.
    let position = Double(pixel) / Double(pitch) - (place == .centered ? 0.25 : 0)
    let before = Int(position.rounded(.down))
    let part = position - Double(before)
    let last = (pixels + pitch - 1) / pitch - 1
    return [(min(max(before, 0), last), 1 - part), (min(before + 1, last), part)]
  }
}
