/// The sizes of something that scrolls, in points.
public struct ScrollGeometry: Sendable, Hashable {
  /// How much can be seen at once.
  public let viewportHeight: Double
  /// How much there is.
  public let contentHeight: Double
  /// Room above the content; it rests at the offset `-topInset`.
  public let topInset: Double
  /// Room below the content.
  public let bottomInset: Double

  /// - Throws: `ScrollError.badValue` for a viewport not above 0, content below 0, and for what is
  ///   not finite.
  public init(
    viewportHeight: Double, contentHeight: Double, topInset: Double = 0, bottomInset: Double = 0
  ) throws(ScrollError) {
    let limit = Double.farthest
    guard viewportHeight > 0, viewportHeight <= limit else {
      throw .badValue(name: "viewport height", value: viewportHeight, accepted: "above 0")
    }
    guard contentHeight >= 0, contentHeight <= limit else {
      throw .badValue(name: "content height", value: contentHeight, accepted: "0 or more")
    }
    for (name, inset) in [("top inset", topInset), ("bottom inset", bottomInset)]
    where !(abs(inset) <= limit) {
      throw .badValue(name: name, value: inset, accepted: "a finite number of points")
    }
    self.viewportHeight = viewportHeight
    self.contentHeight = contentHeight
    self.topInset = topInset
    self.bottomInset = bottomInset
  }

  /// The offset at which the last of the content and the bottom inset are at the lower edge; less
  /// than that of the top where the content is short.
  public var endOffset: Double { contentHeight + bottomInset - viewportHeight }

  /// The offsets at which content can rest; a single one where all of it can be seen.
  public var restingOffsets: ClosedRange<Double> { -topInset...max(endOffset, -topInset) }
}
