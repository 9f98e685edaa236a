/// A change of scale along both axes; either may be `.identity`.
///
/// The source rows of a target row are first combined along y, then along x, or the other way
/// round: backends may choose, as both orders are within the rounding the plan accounts for.
public struct Resample: Sendable, Hashable {
  public var x: Polyphase
  public var y: Polyphase

  package init(x: Polyphase, y: Polyphase) {
    self.x = x
    self.y = y
  }

  package func sourceRect(for target: Rect) -> Rect {
    Rect(columns: x.sourceRange(for: target.columns), rows: y.sourceRange(for: target.rows))
  }
}

extension Resample: PassKind {
  package var multiplyAdds: Int { x.longestPhase * y.longestPhase }
  package var tapCount: Int { max(x.longestPhase, y.longestPhase) }
  package var period: (x: Int, y: Int) { (x.phases.count, y.phases.count) }
  package var summary: String { "x \(x.ratio), y \(y.ratio)" }
  package func readsBeyondEdges(of source: Int) -> (x: Bool, y: Bool) { (true, true) }
}
