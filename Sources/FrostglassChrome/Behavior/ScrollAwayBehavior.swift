/// The bar shrinks as the content goes up and grows again only at the top, as Square Cash does.
public struct ScrollAwayBehavior: BarBehavior, Hashable {
  /// Whether the bar grows beyond its maximum while content is pulled down.
  public var isElasticAtTop: Bool

  public init(isElasticAtTop: Bool = false) {
    self.isElasticAtTop = isElasticAtTop
  }

  public var isBoundToOffset: Bool { true }

  public mutating func react(to event: ScrollEvent, in context: BarContext) -> BarReaction {
    guard event == .didScroll else { return .stay }
    return .follow(progress: context.scroll.distanceFromTop / context.heightRange)
  }
}
