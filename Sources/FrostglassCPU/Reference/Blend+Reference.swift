internal import FrostglassCore

extension Blend {
  /// `first * (1 - amount) + second * amount`.
  func reference(_ first: SourceRows, _ second: SourceRows, into slot: Slot) -> WorkingPicture {
    var picture = WorkingPicture(slot)
    let x1 = slot.domain.x - first.picture.domain.x
    let x2 = slot.domain.x - second.picture.domain.x
    picture.fillRows { y, target in
      first.withRow(y) { a in
        second.withRow(y) { b in
          guard let a, let b else { return }
          for x in 0..<slot.domain.width {
            let mixed =
              pixel(a, x1 + x, first.picture.layout) * (1 - amount)
              + pixel(b, x2 + x, second.picture.layout) * amount
            setPixel(target, x, slot.layout, mixed)
          }
        }
      }
    }
    return picture
  }
}
