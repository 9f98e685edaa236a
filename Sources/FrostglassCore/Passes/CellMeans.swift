/// The mean of each cell of a tiling: one sample per cell.
///
/// Target sample (j, k) is the mean of the pixels of cell (j, k) that lie in the image, or zeros
/// if none does. Each row of a cell is summed on its own, from the left; then the rows are.
package struct CellMeans: Sendable, Hashable {
  package var tiling: Tiling
  /// The pixels that there are.
  package var picture: Rect

  package init(tiling: Tiling, picture: Rect) {
    self.tiling = tiling
    self.picture = picture
  }

  package func sourceRect(for target: Rect) -> Rect { tiling.pixels(of: target) }
}

extension CellMeans: PassKind {
  package var multiplyAdds: Int { tiling.width * tiling.height }
  package var summary: String { "of \(tiling)" }

  /// For a target in pixels, which `CellFill` hands on: every cell that one of them can lie in.
  package func reach(of target: Rect, in domain: Rect) -> Rect {
    Rect(
      columns: target.columns.expanded(by: tiling.width - 1),
      rows: target.rows.expanded(by: tiling.extent - 1))
  }

  // Parts of a cell outside the image are ignored.
  package func readsBeyondEdges(of source: Int) -> (x: Bool, y: Bool) { (true, true) }
}
