/// Gives every pixel the sample of the cell that it belongs to.
package struct CellFill: Sendable, Hashable {
  package var tiling: Tiling

  package init(tiling: Tiling) {
    self.tiling = tiling
  }

  package func sourceRect(for target: Rect) -> Rect { tiling.cells(of: target) }
}

extension CellFill: PassKind {
  package var summary: String { "with \(tiling)" }

  /// In pixels: where the cells lie is left to `CellMeans`.
  package func reach(of target: Rect, in domain: Rect) -> Rect { target }
}
