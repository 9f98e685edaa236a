internal import Glibc

/// A path of many equal samples, as passes that each take a few.
///
/// Pass m takes `count` samples `spacing` apart; all passes together take the product of their
/// counts, one apart. The farthest come first, so that pictures on the way need the least beyond
/// the border.
struct PathSamples {
  struct Pass {
    var count: Int
    /// In samples of the whole path.
    var spacing: Int
  }

  let passes: [Pass]
  /// Samples of the whole path.
  let count: Int

  /// The most samples of one pass.
  static let most = 16

  /// - Parameter wanted: at least so many samples, 1 or more.
  init(atLeast wanted: Int) {
    var stages = 1
    while Int(pow(Double(Self.most), Double(stages)).rounded()) < wanted { stages += 1 }
    var counts: [Int] = []
    var left = wanted
    for stage in (1...stages).reversed() {
      let count = Int(pow(Double(left), 1 / Double(stage)).rounded(.up))
      counts.append(max(min(count, Self.most), 1))
      left = max((left + counts[counts.count - 1] - 1) / counts[counts.count - 1], 1)
    }
    var spacing = 1
    var passes: [Pass] = []
    for count in counts {
      passes.append(Pass(count: count, spacing: spacing))
      spacing *= count
    }
    self.passes = passes.reversed()
    count = spacing
  }
}
