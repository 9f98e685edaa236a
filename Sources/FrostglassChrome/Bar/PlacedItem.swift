/// An item of a bar with everything that a renderer needs, in the bar's coordinates.
public struct PlacedItem: Sendable, Hashable {
  public let id: String
  public let attributes: LayoutAttributes
}
