internal import FrostglassCore

extension PackChannels {
  /// Each pixel from the sources' pixels in the same place.
  func reference(_ first: SourceRows, _ rest: SourceRows, into slot: Slot) -> WorkingImage {
    var picture = WorkingImage(slot)
    let left = slot.domain.x - first.picture.domain.x
    let right = slot.domain.x - rest.picture.domain.x
    picture.fillRows { y, target in
      first.withRow(y) { gray in
        rest.withRow(y) { colors in
          guard let gray, let colors else { return }
          for x in 0..<slot.domain.width {
            let front = pixel(gray, left + x, first.picture.layout)
            let behind = pixel(colors, right + x, rest.picture.layout)
            setPixel(target, x, slot.layout, SIMD4(front.x, behind.x, behind.y, 1))
          }
        }
      }
    }
    return picture
  }
}
