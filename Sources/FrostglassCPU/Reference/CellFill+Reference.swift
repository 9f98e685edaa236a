internal import FrostglassCore

extension CellFill {
  /// The sample of each pixel's cell.
  func reference(_ source: SourceRows, into slot: Slot) -> WorkingImage {
    var picture = WorkingImage(slot)
    let cells = source.picture
    picture.fillRows { y, row in
      cells.samples.withUnsafeBufferPointer { samples in
        for (index, x) in slot.domain.columns.enumerated() {
          let cell = tiling.cell(ofX: x, y: y)
          let place =
            (cell.row - cells.domain.y) * cells.domain.width + cell.column - cells.domain.x
          setPixel(row, index, slot.layout, pixel(samples, place, cells.layout))
        }
      }
    }
    return picture
  }
}
