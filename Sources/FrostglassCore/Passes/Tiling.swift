/// Cells that cover the plane: rectangles, or hexagons when every other row is moved by half a cell.
///
/// Rows of cells are `height` apart, the centers of a row `width`. A pixel belongs to the nearest
/// center, and where two are equally near, to the one farther right or down. All of it is whole
/// numbers in units of half a pixel, in which pixel x has its center at 2x + 1.
package struct Tiling: Sendable, Hashable {
  /// Pixels between neighboring centers of a row.
  package var width: Int
  /// Pixels between neighboring rows of centers.
  package var height: Int
  /// True if odd rows are moved right by half a cell.
  package var isStaggered: Bool
  /// The center of cell (0, 0), in half pixels.
  package var centerX: Int
  package var centerY: Int

  package init(width: Int, height: Int, isStaggered: Bool, centerX: Int, centerY: Int) {
    self.width = width
    self.height = height
    self.isStaggered = isStaggered
    self.centerX = centerX
    self.centerY = centerY
  }

  /// Half pixels by which odd rows are moved.
  package var shift: Int { isStaggered ? width : 0 }

  /// Half pixels above and below a center that its cell can reach.
  ///
  /// A hexagon's corner is equally far from three centers: `height + width² / 4 height` away.
  package var extent: Int {
    isStaggered ? min(height + width * width / (4 * height) + 2, 2 * height) : height
  }

  /// The cell a pixel belongs to: its column and row among the cells.
  @inline(__always)
  package func cell(ofX x: Int, y: Int) -> (column: Int, row: Int) {
    let (u, v) = (2 * x + 1 - centerX, 2 * y + 1 - centerY)
    let above = floorDivide(v, 2 * height)
    let upper = nearest(u, v, row: above)
    let lower = nearest(u, v, row: above + 1)
    return lower.distance <= upper.distance
      ? (lower.column, above + 1) : (upper.column, above)
  }

  /// The nearest center of a row of cells, and the square of its distance.
  @inline(__always)
  private func nearest(_ u: Int, _ v: Int, row: Int) -> (column: Int, distance: Int) {
    let along = u - (row & 1) * shift
    let column = floorDivide(along + width, 2 * width)
    let (dx, dy) = (along - 2 * width * column, v - 2 * height * row)
    return (column, dx * dx + dy * dy)
  }

  /// Every cell that the pixels of `rect` belong to.
  package func cells(of rect: Rect) -> Rect {
    let left = 2 * rect.x + 1 - centerX
    let right = 2 * rect.columns.upperBound - 1 - centerX
    let top = 2 * rect.y + 1 - centerY
    let bottom = 2 * rect.rows.upperBound - 1 - centerY
    let columns =
      floorDivide(left - shift + width, 2 * width)..<floorDivide(right + width, 2 * width) + 1
    let rows =
      isStaggered
      ? floorDivide(top, 2 * height)..<floorDivide(bottom, 2 * height) + 2
      : floorDivide(top + height, 2 * height)..<floorDivide(bottom + height, 2 * height) + 1
    return Rect(columns: columns, rows: rows)
  }

  /// A rectangle that holds every pixel of the cells in `rect`.
  package func pixels(of rect: Rect) -> Rect {
    let left = 2 * width * rect.x - width + centerX
    let right = 2 * width * (rect.columns.upperBound - 1) + width + shift + centerX
    let top = 2 * height * rect.y - extent + centerY
    let bottom = 2 * height * (rect.rows.upperBound - 1) + extent + centerY
    return Rect(
      columns: floorDivide(left, 2)..<floorDivide(right, 2),
      rows: floorDivide(top, 2)..<floorDivide(bottom, 2))
  }
}

extension Tiling: CustomStringConvertible {
  package var description: String {
    "\(isStaggered ? "hexagons" : "cells") \(width)×\(height)"
  }
}
