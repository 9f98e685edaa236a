public import FrostglassCore

/// A bar whose height and items follow one number, its progress: 0 is high, 1 is low.
public struct FlexibleBar: Sendable, Hashable {
  /// The height at progress 1, in points. Below 0 counts as 0, above the maximum as the maximum.
  public var minimumHeight: Double {
    didSet { minimumHeight = minimumHeight.kept(in: 0...Double.farthest) }
  }
  /// The height at progress 0, in points. Below 0 counts as 0.
  public var maximumHeight: Double {
    didSet { maximumHeight = maximumHeight.kept(in: 0...Double.farthest) }
  }
  /// Whether progress may be below 0, which makes the bar higher than its maximum.
  public var isElasticAtTop: Bool { didSet { setProgress(progress) } }
  /// At most 1; 0 or more unless the bar is elastic.
  public private(set) var progress = 0.0
  /// The items, as given.
  public private(set) var items: [BarItem] = []

  /// A bar without items.
  public init(
    minimumHeight: Double = 20, maximumHeight: Double = 44, isElasticAtTop: Bool = false
  ) {
    self.minimumHeight = minimumHeight.kept(in: 0...Double.farthest)
    self.maximumHeight = maximumHeight.kept(in: 0...Double.farthest)
    self.isElasticAtTop = isElasticAtTop
  }

  /// A bar with items.
  ///
  /// - Throws: `LayoutError` as `setItems` does.
  public init(
    minimumHeight: Double = 20, maximumHeight: Double = 44, isElasticAtTop: Bool = false,
    items: [BarItem]
  ) throws(LayoutError) {
    self.init(
      minimumHeight: minimumHeight, maximumHeight: maximumHeight, isElasticAtTop: isElasticAtTop)
    try setItems(items)
  }

  /// A bar that reaches from the top of the screen to the lower edge of a rectangle.
  public init(frame: LayoutRect) {
    self.init(maximumHeight: frame.maxY)
  }

  /// Replaces the items.
  ///
  /// - Throws: `LayoutError` where their layouts leave something open, contradict themselves or
  ///   refer to each other in a circle, at any progress, and for numbers that are not finite.
  public mutating func setItems(_ items: [BarItem]) throws(LayoutError) {
    try FlexibleBar.check(items)
    self.items = items
  }

  /// Moves the bar. What is above 1 counts as 1, what is below 0 as 0 unless the bar is elastic;
  /// what is no finite number is ignored.
  public mutating func setProgress(_ progress: Double) {
    guard progress.isFinite else { return }
    self.progress = isElasticAtTop ? min(progress, 1) : progress.kept(in: 0...1)
  }

  /// How much lower the bar is at progress 1 than at 0, in points; 0 or more.
  public var heightRange: Double { max(0, maximumHeight - minimumHeight) }

  /// The height now, in points; above the maximum while progress is below 0.
  public var height: Double { maximumHeight - heightRange * progress }

  /// Where the items are now, the lowest first; hidden ones too.
  ///
  /// A bar that is stretched is at progress 0 for its items' keyframes; relative layouts see its
  /// real height.
  ///
  /// - Parameter width: of the bar, in points; below 0 counts as 0.
  public func layout(width: Double) -> [PlacedItem] {
    let size = LayoutSize(width: width.kept(in: 0...Double.farthest), height: height)
    var resolver = LayoutResolver(bar: size, segments: segments(at: max(progress, 0)))
    let placed = items.indices.map { resolver.attributes(of: $0) }
    let order = items.indices.sorted { (placed[$0].zIndex, $0) < (placed[$1].zIndex, $1) }
    return order.map { PlacedItem(id: items[$0].id, attributes: placed[$0]) }
  }

  private func segments(at progress: Double) -> [LayoutResolver.Segment] {
    items.map { $0.segment(at: progress) }
  }
}
