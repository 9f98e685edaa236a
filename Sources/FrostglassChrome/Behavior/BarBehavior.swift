/// What a bar does when content scrolls: a value with a memory, told of each event.
///
/// The three that come with the library are `ScrollAwayBehavior`, `RevealBehavior` and
/// `VelocityBehavior`; others conform to this protocol.
public protocol BarBehavior: Sendable {
  /// Whether the bar grows beyond its maximum while content is pulled down. By default not.
  var isElasticAtTop: Bool { get }

  /// Whether progress is a function of the offset alone; snapping then goes no farther than content
  /// can. By default not.
  var isBoundToOffset: Bool { get }

  /// Takes note of an event and says what the bar does.
  ///
  /// Told while the bar snaps as well, so that nothing is missed.
  mutating func react(to event: ScrollEvent, in context: BarContext) -> BarReaction

  /// Says what the bar does when it is tapped. By default nothing.
  mutating func reactToTap(in context: BarContext) -> BarReaction
}

extension BarBehavior {
  public var isElasticAtTop: Bool { false }
  public var isBoundToOffset: Bool { false }
  public mutating func reactToTap(in context: BarContext) -> BarReaction { .stay }
}
