/// What every pass tells about itself, beside its numbers.
package protocol PassKind: Sendable, Hashable {
  /// How many slots it reads.
  var sourceCount: Int { get }
  /// Multiply-adds per target sample and channel, for the plan's account of its cost.
  var multiplyAdds: Int { get }
  /// The longest run of samples that go into one.
  var tapCount: Int { get }
  /// Target samples along each axis after which the arithmetic begins anew.
  var period: (x: Int, y: Int) { get }
  /// The numbers, for people.
  var summary: String { get }

  /// The samples of a source that `target` is computed from, before edges, if it is read at all.
  func sourceRect(for target: Rect) -> Rect
  /// The samples of one of the sources that `target` is computed from, before edges.
  func sourceRect(for target: Rect, of source: Int) -> Rect
  /// Whether any sample of a source goes into some rows of the target.
  func reads(_ source: Int, for rows: Range<Int>) -> Bool
  /// What a part of the target is computed from, wherever in `domain` it lies.
  func reach(of target: Rect, in domain: Rect) -> Rect
  /// Along which axes a source is read beyond its edges, if a plan asks for what lies there.
  ///
  /// Along the others the pass reads in place: target sample i is made of source sample i alone. Kernels
  /// then take samples as they lie in memory, and a plan asks for none outside the source's edges;
  /// see `Plan.resolveEdges`.
  func readsBeyondEdges(of source: Int) -> (x: Bool, y: Bool)
}

extension PassKind {
  package var sourceCount: Int { 1 }
  package var multiplyAdds: Int { 1 }
  package var tapCount: Int { 1 }
  package var period: (x: Int, y: Int) { (1, 1) }
  package func sourceRect(for target: Rect) -> Rect { target }
  package func sourceRect(for target: Rect, of source: Int) -> Rect { sourceRect(for: target) }
  package func reads(_ source: Int, for rows: Range<Int>) -> Bool { true }
  package func reach(of target: Rect, in domain: Rect) -> Rect { sourceRect(for: target) }
  package func readsBeyondEdges(of source: Int) -> (x: Bool, y: Bool) { (false, false) }
}
