internal import FrostglassCore

extension HighlightWeight {
  /// Every pixel multiplied by its weight.
  func reference(_ source: SourceRows, into slot: Slot) -> WorkingImage {
    source.eachPixel(into: slot) { applied(to: $0) }
  }

  @inline(__always)
  private func applied(to pixel: SIMD4<Float>) -> SIMD4<Float> {
    let brightness = luma.x * pixel.x + luma.y * pixel.y + luma.z * pixel.z
    let limited = min(max(brightness, 0), 1)
    let square = limited * limited
    return pixel * ((1 + highlights * (square * square)) / (1 + highlights))
  }
}
