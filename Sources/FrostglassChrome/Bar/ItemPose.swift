/// Where an item is and how it looks at one moment, in points or relative to the bar.
public struct ItemPose: Sendable, Hashable {
  /// Where the item is; it replaces the attributes' center and size. `nil` leaves those.
  public var layout: ItemLayout?
  /// How it looks, and, without a layout, where it is.
  public var attributes: LayoutAttributes

  /// A pose given by numbers.
  public init(_ attributes: LayoutAttributes = LayoutAttributes()) {
    self.attributes = attributes
  }

  /// A pose whose place follows from the bar and other items.
  ///
  /// - Parameter attributes: how it looks; center and size in it are not used.
  public init(_ layout: ItemLayout, _ attributes: LayoutAttributes = LayoutAttributes()) {
    self.layout = layout
    self.attributes = attributes
  }
}
