/// A bar that keeps its height, whatever is scrolled.
public struct FixedBehavior: BarBehavior, Hashable {
  public init() {}

  public mutating func react(to event: ScrollEvent, in context: BarContext) -> BarReaction { .stay }
}
