/// What happens to something that scrolls, in the order and with the meaning UIKit gives it.
public enum ScrollEvent: Sendable, Hashable {
  /// A finger takes hold of the content.
  case willBeginDragging
  /// The offset is another one.
  case didScroll
  /// The finger lets go; the velocity in points per second, above 0 toward the end.
  case willEndDragging(velocity: Double)
  /// The finger has let go.
  case didEndDragging(willDecelerate: Bool)
  /// The content has come to rest after that.
  case didEndDecelerating
  /// The status bar was tapped, and the content goes to its top.
  case willScrollToTop
  case didScrollToTop
  /// The program sends the content somewhere.
  case willScrollProgrammatically
  case didEndProgrammaticScroll
}

/// An event, when it happened and what things were like then.
public struct TimedScrollEvent: Sendable, Hashable {
  /// In seconds.
  public let time: Double
  /// What happened.
  public let event: ScrollEvent
  /// How things stand right after it.
  public let state: ScrollState
}

/// Where scrolled content is and how it moves.
public struct ScrollState: Sendable, Hashable {
  /// Why content moves.
  public enum Phase: String, Sendable, Hashable, CaseIterable {
    /// It does not.
    case resting
    /// A finger moves it.
    case dragging
    /// It comes to rest by itself, also back from beyond its ends.
    case decelerating
    /// It goes where it was sent.
    case animating
  }

  /// How large the viewport and its content are.
  public var geometry: ScrollGeometry
  /// The content's place at the upper edge of the viewport, in points; larger is farther down.
  public var offset: Double
  /// How fast the offset changes, in points per second; above 0 goes toward the end.
  public var velocity: Double
  /// What moves the content.
  public var phase: Phase
  /// How soon a fling ends.
  public var decelerationRate: DecelerationRate

  /// A state of scrolling.
  public init(
    geometry: ScrollGeometry, offset: Double, velocity: Double = 0, phase: Phase = .resting,
    decelerationRate: DecelerationRate = .normal
  ) {
    self.geometry = geometry
    self.offset = offset
    self.velocity = velocity
    self.phase = phase
    self.decelerationRate = decelerationRate
  }

  /// How far the content is from its top, in points; below 0 while it is pulled down beyond that.
  public var distanceFromTop: Double { offset + geometry.topInset }
}
