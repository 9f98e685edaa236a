/// How much one band of rows may do: a tenth of a second's work, as displays freeze while one runs, and drivers end
/// what takes too long.
///
/// A weak GPU's rate is assumed until bands tell: as long as they take no time to speak of, the next is four times as
/// high. A large GPU needs that, as a band made for a weak one gives it two groups for each of its processors, and it
/// waits for each of their fetches.
package struct BandPace {
  /// Multiply-adds of a band.
  package private(set) var work = 100_000_000
  /// Whether bands are as they should be, so that nobody looks at the clock.
  package private(set) var isSettled = false

  private static let most = 1_000_000_000_000
  /// Four times as much is a tenth of a second.
  private static let short = Duration.milliseconds(25)

  package init() {}

  /// A band was made.
  ///
  /// - Parameter isFirst: of its pass, in whose time a driver may still have to get ready.
  package mutating func note(_ time: Duration, isFirst: Bool) {
    if time < BandPace.short {
      work = min(4 * work, BandPace.most)
    } else if !isFirst {
      isSettled = true
    }
  }
}
