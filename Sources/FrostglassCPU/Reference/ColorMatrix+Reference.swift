internal import FrostglassCore

extension ColorMatrix {
  /// The matrix on every pixel.
  func reference(_ source: SourceRows, into slot: Slot) -> WorkingPicture {
    var picture = WorkingPicture(slot)
    let layout = source.picture.layout
    let offset = slot.domain.x - source.picture.domain.x
    picture.fillRows { y, target in
      source.withRow(y) { row in
        guard let row else { return }
        for x in 0..<slot.domain.width {
          setPixel(target, x, slot.layout, applied(to: pixel(row, offset + x, layout)))
        }
      }
    }
    return picture
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
