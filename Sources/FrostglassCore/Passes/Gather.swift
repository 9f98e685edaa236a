/// A mean of the picture seen through several affine maps: `out(p) = Σ_k weight_k * in(map_k(p))`.
///
/// Between samples the source is interpolated linearly along both axes: with the columns first,
/// `(1 − fy) ((1 − fx) a + fx b) + fy ((1 − fx) c + fx d)`. The sum is formed in the order of the
/// views. Positions are whole numbers of 1/4096 sample, computed with integers, so every backend
/// reads at exactly the same ones.
package struct Gather: Sendable, Hashable {
  /// The picture through one map, and what it counts.
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

  /// How far, in whole samples, views look from any of the positions in `target`.
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

  /// Whether there are several views that all count the same.
  package var countsEvenly: Bool {
    views.count > 1 && views.allSatisfy { $0.weight == views[0].weight }
  }

  /// What an error in the source can at most be multiplied by: the sum of magnitudes.
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
