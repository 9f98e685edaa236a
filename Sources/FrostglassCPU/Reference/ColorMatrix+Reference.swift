internal import FrostglassCore

extension ColorMatrix {
  /// The matrix on every pixel.
  func reference(_ source: SourceRows, into slot: Slot) -> WorkingImage {
    source.eachPixel(into: slot) { applied(to: $0) }
  }

  /// One pixel.
  @inline(__always)
  func applied(to pixel: SIMD4<Float>) -> SIMD4<Float> {
    // The constant is multiplied by alpha, as the colors are.
    var color = SIMD4((red * pixel).sum(), (green * pixel).sum(), (blue * pixel).sum(), pixel.w)
    if clamps {
      color = pointwiseMax(pointwiseMin(color, SIMD4(repeating: max(pixel.w, 0))), .zero)
      color.w = pixel.w
    }
    return color * opacity
  }
}
