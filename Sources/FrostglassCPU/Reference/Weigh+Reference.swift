internal import FrostglassCore

extension Weigh {
  /// Every pixel multiplied by its weight.
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

  @inline(__always)
  private func applied(to pixel: SIMD4<Float>) -> SIMD4<Float> {
    let brightness = luma.x * pixel.x + luma.y * pixel.y + luma.z * pixel.z
    let limited = min(max(brightness, 0), 1)
    let square = limited * limited
    return pixel * ((1 + highlights * (square * square)) / (1 + highlights))
  }
}
