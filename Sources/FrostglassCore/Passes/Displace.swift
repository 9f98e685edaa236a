/// Reads each pixel from somewhere near, as a second image says: refraction.
///
/// The map's red and green are displacements along x and y, 0.5 being none. Channel c of pixel p is
///
///     bilinear(source c, p + (map(p) − 0.5) · span[c])
///
/// with the displacement split into whole pixels and a fraction, so that a whole displacement is a
/// copy. Alpha is read like green. Where the spans differ, colors are limited to 0…alpha.
package struct Displace: Sendable, Hashable {
  /// Displacement in pixels from the map's 0 to its 1, for red, green and blue; may be negative.
  package var span: SIMD3<Float>

  package init(span: SIMD3<Float>) {
    self.span = span
  }

  /// True if colors are read from different positions.
  package var disperses: Bool { span.x != span.y || span.y != span.z }

  /// The farthest that is read, in whole pixels to each side.
  package var reach: Int {
    let widest = max(abs(span.x), abs(span.y), abs(span.z)) / 2
    return Int(widest.rounded(.up)) + 1
  }

  /// The largest error from rounding the displacement, in levels of 255: a pixel differs from the next by full scale at
  /// most, along two axes.
  var roundingError: Double {
    let widest = Double(max(abs(span.x), abs(span.y), abs(span.z)))
    return 255 * 2 * widest / Double(1 << 22)
  }
}

extension Displace: PassKind {
  package var sourceCount: Int { 2 }
  package var multiplyAdds: Int { 4 }
  package var summary: String { "up to \(text(of: span / 2)) px" }

  package func sourceRect(for target: Rect) -> Rect {
    Rect(
      columns: target.columns.expanded(by: reach), rows: target.rows.expanded(by: reach))
  }

  // The first is displaced, the second is the map.
  package func sourceRect(for target: Rect, of source: Int) -> Rect {
    source == 0 ? sourceRect(for: target) : target
  }

  package func readsBeyondEdges(of source: Int) -> (x: Bool, y: Bool) {
    (source == 0, source == 0)
  }
}
