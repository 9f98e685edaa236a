/// One of the two directions of a layout.
public enum LayoutAxis: String, Sendable, Hashable, CaseIterable {
  case horizontal
  case vertical
}
