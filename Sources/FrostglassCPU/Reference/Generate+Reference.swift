internal import FrostglassCore

extension Generate {
  /// The core's own samples.
  func reference(into slot: Slot) -> WorkingPicture {
    var picture = WorkingPicture(slot)
    picture.fillRows { y, target in row(y, slot.domain.columns, into: target) }
    return picture
  }
}
