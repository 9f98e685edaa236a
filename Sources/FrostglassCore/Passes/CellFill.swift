/// Gives every pixel the sample of the cell that it belongs to.
public struct CellFill: Sendable, Hashable {
  public var tiling: Tiling

  package init(tiling: Tiling) {
    self.tiling = tiling
  }

  package func sourceRect(for target: Rect) -> Rect { tiling.cells(of: target) }
}

extension CellFill: PassKind {
  package var period: (x: Int, y: Int) { (tiling.width, 2 * tiling.height) }
  package var summary: String { "with \(tiling)" }
}
