internal import FrostglassCore

extension SourceRows {
  /// A picture each of whose pixels is made from the source's pixel in the same place.
  @inline(__always)
  func eachPixel(
    into slot: Slot, _ change: (SIMD4<Float>) -> SIMD4<Float>
  ) -> WorkingPicture {
    var made = WorkingPicture(slot)
    let layout = picture.layout
    let offset = slot.domain.x - picture.domain.x
    made.fillRows { y, target in
      withRow(y) { row in
        guard let row else { return }
        for x in 0..<slot.domain.width {
          setPixel(target, x, slot.layout, change(pixel(row, offset + x, layout)))
        }
      }
    }
    return made
  }
}
