/// The rest positions of a bar after content stops, and the way there.
public struct Snapping: Sendable, Hashable {
  /// True if the bar snaps.
  public var isEnabled = true
  /// In order, without overlaps. Progress that belongs to none stays.
  public let ranges: [SnapRange]
  /// The time that snapping takes, in seconds; 0 jumps.
  public let duration: Double
  /// The easing of snapping.
  public let easing: Easing

  /// No ranges: only behaviors make the bar snap, in 0.15 s.
  public static let none = Snapping(sorted: [], duration: 0.15, easing: .easeInOut)

  /// - Parameter ranges: in any order.
  /// - Throws: `SnapError` for ranges that overlap, and a duration outside 0…60 s.
  public init(
    _ ranges: [SnapRange], duration: Double = 0.15, easing: Easing = .easeInOut
  ) throws(SnapError) {
    guard duration >= 0, duration <= 60 else { throw .badDuration(duration) }
    let sorted = ranges.sorted { $0.start < $1.start }
    for (first, second) in zip(sorted, sorted.dropFirst()) where second.start < first.end {
      throw .overlap(first, second)
    }
    self.init(sorted: sorted, duration: duration, easing: easing)
  }

  private init(sorted: [SnapRange], duration: Double, easing: Easing) {
    ranges = sorted
    self.duration = duration
    self.easing = easing
  }

  /// Returns the progress to which the bar snaps.
  ///
  /// - Returns: `nil` if it stays.
  public func target(for progress: Double) -> Double? {
    if let range = ranges.first(where: { $0.start <= progress && progress < $0.end }) {
      return range.target
    }
    return ranges.last.flatMap { $0.end == progress ? $0.target : nil }
  }
}

/// Progress between two numbers, and where the bar goes from there when content has come to rest.
public struct SnapRange: Sendable, Hashable {
  /// The first progress that belongs to the range.
  public let start: Double
  /// The first that does not; of the last range, the last that does.
  public let end: Double
  /// The progress to which the bar snaps.
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

/// Why a bar does not know where to snap.
public enum SnapError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A start, end or target of a range is no progress.
  case outside(name: String, value: Double)
  case empty(start: Double, end: Double)
  /// Some progress belongs to two ranges.
  case overlap(SnapRange, SnapRange)
  /// A time, in seconds, that cannot be used.
  case badDuration(Double)

  /// The error message.
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
