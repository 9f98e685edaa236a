/// A mean of the image seen through several affine maps: `out(p) = Σ_k weight_k * in(map_k(p))`.
///
/// Between samples the source is interpolated linearly along both axes: with the columns first,
/// `(1 − fy) ((1 − fx) a + fx b) + fy ((1 − fx) c + fx d)`. The sum is formed in the order of the
/// views. Positions are whole numbers of 1/4096 sample, computed with integers, so every backend
/// reads at exactly the same ones.
package struct Gather: Sendable, Hashable {
  /// The image through one map, and what it counts.
  package struct View: Sendable, Hashable {
    package var map: AffineMap
    package var weight: Float

    package init(map: AffineMap, weight: Float) {
      self.map = map
      self.weight = weight
    }
  }

  package var views: [View]

  package init(views: [View]) {
    self.views = views
  }

  /// The bounding box of what all views read.
  ///
  /// Positions are monotone along each axis of the target, so its corners are enough.
  package func sourceRect(for target: Rect) -> Rect {
    let xs = [target.x, target.columns.upperBound - 1]
    let ys = [target.y, target.rows.upperBound - 1]
    let corners = views.flatMap { view in
      xs.flatMap { x in ys.map { y in view.map.position(x, y) } }
    }
    return Rect(
      columns: Self.span(corners.map { $0.x >> AffineMap.positionBits }),
      rows: Self.span(corners.map { $0.y >> AffineMap.positionBits }))
  }

  /// Samples and their right or lower neighbors.
  private static func span(_ first: [Int]) -> Range<Int> {
    (first.min() ?? 0)..<(first.max() ?? 0) + 2
  }

  /// Returns the distance, in whole samples, that views look from any of the positions in `target`.
  func reach(in target: Rect) -> (x: Int, y: Int) {
    var reach = (x: 0, y: 0)
    for x in [target.x, target.columns.upperBound - 1] {
      for y in [target.y, target.rows.upperBound - 1] {
        let read = sourceRect(for: Rect(x: x, y: y, width: 1, height: 1))
        reach.x = max(reach.x, x - read.x, read.columns.upperBound - 1 - x)
        reach.y = max(reach.y, y - read.y, read.rows.upperBound - 1 - y)
      }
    }
    return reach
  }

  /// True if there are several views, all of the same weight.
  package var countsEvenly: Bool {
    views.count > 1 && views.allSatisfy { $0.weight == views[0].weight }
  }

  /// The largest factor by which an error in the source is multiplied: the sum of magnitudes.
  var gain: Double { views.reduce(0) { $0 + Double(abs($1.weight)) } }
}

extension Gather: PassKind {
  // Four samples are interpolated and their mean is added.
  package var multiplyAdds: Int { 5 * views.count }
  package var tapCount: Int { views.count }
  package var summary: String { "\(views.count) views" }

  // Where a pixel lies decides how far it reads; other passes read the same everywhere.
  package func reach(of target: Rect, in domain: Rect) -> Rect {
    let reach = reach(in: domain)
    return Rect(
      columns: target.columns.expanded(by: reach.x), rows: target.rows.expanded(by: reach.y))
  }
  package func readsBeyondEdges(of source: Int) -> (x: Bool, y: Bool) { (true, true) }
}

/// An affine map from target samples to positions in the source, in whole numbers.
///
/// A sample (x, y) is read at `x + floor((xx x + xy y + x0) / 4096) / 4096` along x, and likewise
/// along y: the coefficients count 2⁻²⁴, positions 2⁻¹² of a sample. Only the difference to the
/// sample's own place is stored, so that small turns of large images keep their precision, and so
/// that 32-bit machines can compute it in two halves for coordinates up to 2¹⁶.
package struct AffineMap: Sendable, Hashable {
  /// Binary digits of a position after the point.
  package static let positionBits = 12
  /// Binary digits of a coefficient after the point.
  package static let coefficientBits = 24

  package var xx: Int
  package var xy: Int
  package var x0: Int
  package var yx: Int
  package var yy: Int
  package var y0: Int

  /// Scales, and turns by an angle given by its cosine and sine, around a point.
  ///
  /// - Parameters: the point in samples, where 0 is the center of the first one.
  package init(scale: Double, cosine: Double, sine: Double, aroundX x: Double, y: Double) {
    let (a, b) = (scale * cosine - 1, scale * sine)
    let one = Double(1 << Self.coefficientBits)
    // Half a position more, so that `floor` rounds to the nearest.
    let half = 1 << (Self.coefficientBits - Self.positionBits - 1)
    xx = Int((a * one).rounded())
    xy = Int((-b * one).rounded())
    yx = Int((b * one).rounded())
    yy = xx
    // From the rounded coefficients, so that the point itself stays where it is.
    x0 = Int((-(Double(xx) * x + Double(xy) * y)).rounded()) + half
    y0 = Int((-(Double(yx) * x + Double(yy) * y)).rounded()) + half
  }

  /// Reads the sample (x, y) at `(xx x + xy y + x0, yx x + yy y + y0)`, in samples.
  init(xx: Double, xy: Double, x x0: Double, yx: Double, yy: Double, y y0: Double) {
    let one = Double(1 << Self.coefficientBits)
    let half = 1 << (Self.coefficientBits - Self.positionBits - 1)
    func whole(_ value: Double) -> Int { Int(min(max(value * one, -1e13), 1e13).rounded()) }
    (self.xx, self.xy, self.x0) = (whole(xx - 1), whole(xy), whole(x0) + half)
    (self.yx, self.yy, self.y0) = (whole(yx), whole(yy - 1), whole(y0) + half)
  }

  /// Returns the position where a target sample is read, in 2⁻¹² of a sample.
  @inline(__always)
  package func position(_ x: Int, _ y: Int) -> (x: Int, y: Int) {
    let shift = Self.coefficientBits - Self.positionBits
    return (
      (x << Self.positionBits) + ((xx * x + xy * y + x0) >> shift),
      (y << Self.positionBits) + ((yx * x + yy * y + y0) >> shift)
    )
  }
}
