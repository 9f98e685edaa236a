internal import FrostglassCore

extension Generate {
  /// The core's own samples.
  func reference(into slot: Slot) -> WorkingImage {
    var picture = WorkingImage(slot)
    let make = rows(of: slot.domain)
    picture.fillRows { y, target in make(y, slot.domain.columns, target) }
    return picture
  }
}
