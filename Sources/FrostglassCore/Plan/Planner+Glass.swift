// Panes of glass.
extension Planner {
  /// Lays a pane of glass over a picture; one that lies outside changes nothing, nor does its shadow.
  mutating func glass(_ source: Surface, _ pane: GlassPane) -> Surface {
    guard !pane.isEmpty, pane.coverage.part(above: 0, of: picture) != nil else { return source }
    var face = gaussian(source, x: pane.blur, y: pane.blur)
    if let lens = pane.lens { face = displace(face, by: .lens(lens), span: pane.span) }
    face = lumaCurve(face, pane.face.pass)
    if let rim = pane.rim {
      let white = colorMatrix(face, ColorMatrix(scale: 0, offset: SIMD3(repeating: 1)))
      face = masked(face, white, by: .rim(rim))
    }
    let dimmed = colorMatrix(source, ColorMatrix(scale: 1 - pane.shadow))
    let ground = pane.shadow > 0 ? masked(source, dimmed, by: pane.shade) : source
    return masked(ground, face, by: pane.coverage)
  }

  /// Reads each pixel from where a map says; beyond the picture, the edge mode's continuation.
  ///
  /// - Parameter span: displacement in pixels from the map's 0 to its 1.
  mutating func displace(
    _ surface: Surface, by map: Generate.Content, span: SIMD3<Float>
  ) -> Surface {
    let map = generate(map)
    // Half floats would move what is seen by pixels.
    raisePrecision(of: map, to: .fixed16)
    let displace = Displace(span: span)
    let error =
      surface.error + stored + CertifiedError(arithmetic: displace.roundingError)
    let layout = surface.layout == .gray && displace.disperses ? .rgb : surface.layout
    return append(
      .displace(displace), [withEdges(surface).source, map.source], layout: layout, error: error)
  }

  /// Shows the second picture through a gray map, over the first.
  private mutating func masked(
    _ first: Surface, _ second: Surface, by map: Generate.Content
  ) -> Surface {
    let mask = generate(map)
    return append(
      .blend(Blend(.masked)), [first.source, second.source, mask.source],
      layout: max(first.layout, second.layout),
      error: first.error.worst(second.error) + mask.error + stored)
  }
}
