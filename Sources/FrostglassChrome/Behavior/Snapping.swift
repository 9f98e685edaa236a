/// Where a bar goes by itself when content has come to rest, and how.
public struct Snapping: Sendable, Hashable {
  /// Whether it does so at all.
  public var isEnabled = true
  /// In order, without overlaps. Progress that belongs to none stays.
  public let ranges: [SnapRange]
  /// How long it takes, in seconds; 0 jumps.
  public let duration: Double
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

  /// Where the bar goes from a progress.
  ///
  /// - Returns: `nil` where it stays.
  public func target(for progress: Double) -> Double? {
    if let range = ranges.first(where: { $0.start <= progress && progress < $0.end }) {
      return range.target
    }
    return ranges.last.flatMap { $0.end == progress ? $0.target : nil }
  }
}
