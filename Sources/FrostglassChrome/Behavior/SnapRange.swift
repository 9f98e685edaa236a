/// Progress between two numbers, and where the bar goes from there when content has come to rest.
public struct SnapRange: Sendable, Hashable {
  /// The first progress that belongs to the range.
  public let start: Double
  /// The first that does not; of the last range, the last that does.
  public let end: Double
  /// Where the bar goes.
  public let target: Double

  /// - Throws: `SnapError` for numbers outside 0…1 and a range without extent.
  public init(from start: Double, to end: Double, target: Double) throws(SnapError) {
    for (name, value) in [("start", start), ("end", end), ("target", target)]
    where !(value >= 0 && value <= 1) {
      throw .outside(name: name, value: value)
    }
    guard start < end else { throw .empty(start: start, end: end) }
    self.start = start
    self.end = end
    self.target = target
  }
}
