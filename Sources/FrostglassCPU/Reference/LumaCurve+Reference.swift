internal import FrostglassCore

extension LumaCurve {
  /// The matrix and the curve on every pixel.
  func reference(_ source: SourceRows, into slot: Slot) -> WorkingImage {
    source.eachPixel(into: slot) { applied(to: $0) }
  }

  /// One pixel.
  @inline(__always)
  func applied(to pixel: SIMD4<Float>) -> SIMD4<Float> {
    let alpha = max(pixel.w, 0)
    let r = pixel.x
    let g = pixel.y
    let b = pixel.z
    let covered = luma.x * r + luma.y * g + luma.z * b
    let level: Float = alpha > 0 ? min(max(covered / alpha, 0), 1) : 0
    let lift = alpha * (((curve.w * level + curve.z) * level + curve.y) * level + curve.x)
    let color = SIMD3(
      red.x * r + red.y * g + red.z * b, green.x * r + green.y * g + green.z * b,
      blue.x * r + blue.y * g + blue.z * b)
    let limited = pointwiseMax(pointwiseMin(color + lift, SIMD3(repeating: alpha)), .zero)
    return SIMD4(limited, pixel.w)
  }
}
