internal import FrostglassCore

extension CellMeans {
  /// The mean of each cell's pixels in the image.
  func reference(_ source: SourceRows, into slot: Slot) -> WorkingImage {
    var picture = WorkingImage(slot)
    picture.fillRows { row, target in
      for (index, column) in slot.domain.columns.enumerated() {
        setPixel(target, index, slot.layout, mean(source, column, row))
      }
    }
    return picture
  }

  private func mean(_ source: SourceRows, _ column: Int, _ row: Int) -> SIMD4<Float> {
    let around = tiling.pixels(of: Rect(x: column, y: row, width: 1, height: 1))
    let columns = around.columns.clamped(to: picture.columns)
    var sum = SIMD4<Float>.zero
    var count = 0
    for y in around.rows.clamped(to: picture.rows) {
      source.withRow(y) { pixels in
        guard let pixels else { return }
        var rowSum = SIMD4<Float>.zero
        for x in columns where tiling.cell(ofX: x, y: y) == (column, row) {
          rowSum += pixel(pixels, x - source.picture.domain.x, source.picture.layout)
          count += 1
        }
        sum += rowSum
      }
    }
    return sum / Float(max(count, 1))
  }
}
