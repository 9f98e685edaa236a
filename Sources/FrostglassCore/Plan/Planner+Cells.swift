extension Planner {
  /// Gives each pixel the mean of its cell.
  mutating func mosaic(_ surface: Surface, _ tiling: Tiling) -> Surface {
    let sums = Arithmetic.convolve(radius: tiling.width + tiling.height, .float32)
    let stored = CertifiedError(arithmetic: Arithmetic.store(precision))
    let error = surface.error + CertifiedError(arithmetic: sums) + stored
    // Beyond the picture nothing is read, whatever the edge mode.
    let inside = surface.extended(
      x: AxisEdge(.transparent, picture.columns), y: AxisEdge(.transparent, picture.rows))
    let means = append(
      .cellMeans(CellMeans(tiling: tiling, picture: picture)), [inside.source],
      layout: surface.layout, error: error)
    return append(
      .cellFill(CellFill(tiling: tiling)), [means.source], layout: surface.layout,
      error: error + stored)
  }
}
