/// Where a step reads from.
public struct Source: Sendable, Hashable {
  /// Index into the plan's slots.
  public var slot: Int
  /// Columns outside the source; `nil` when the step never reads any.
  public var x: AxisEdge?
  /// Rows outside the source; `nil` when the step never reads any.
  public var y: AxisEdge?

  public init(slot: Int, x: AxisEdge? = nil, y: AxisEdge? = nil) {
    self.slot = slot
    self.x = x
    self.y = y
  }

  /// The part of the slot that is read when `wanted` is asked for.
  package func footprint(of wanted: Rect) -> Rect {
    Rect(
      columns: x.map { $0.mode.footprint(of: wanted.columns, in: $0.range) } ?? wanted.columns,
      rows: y.map { $0.mode.footprint(of: wanted.rows, in: $0.range) } ?? wanted.rows)
  }
}
