/// Why a bar does not know where to snap.
public enum SnapError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A start, end or target of a range is no progress.
  case outside(name: String, value: Double)
  case empty(start: Double, end: Double)
  /// Some progress belongs to two ranges.
  case overlap(SnapRange, SnapRange)
  /// A time, in seconds, that cannot be used.
  case badDuration(Double)

  public var description: String {
    switch self {
    case .outside(let name, let value):
      "a snap range's \(name) is \(value); it must be 0…1"
    case .empty(let start, let end):
      "the snap range from \(start) to \(end) is empty; its end must be above its start"
    case .overlap(let first, let second):
      "the snap ranges \(first.start)…\(first.end) and \(second.start)…\(second.end) overlap; "
        + "the second must start at \(first.end) or later"
    case .badDuration(let duration):
      "a snap's duration is \(duration); it must be 0…60 s"
    }
  }
}
