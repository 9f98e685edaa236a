/// How much one band of rows may do. Where no rate was measured beforehand, the first bands tell: as long as they
/// take no time to speak of, the next is four times as high. A large GPU needs that, as a band made for a weak one
/// gives it two groups for each of its processors, and it waits for each of their fetches.
package struct BandPace {
  /// Multiply-adds of a band.
  package private(set) var work: Int
  /// Whether bands are as they should be, so that nobody looks at the clock.
  package private(set) var isSettled: Bool

  private static let most = 1_000_000_000_000
  /// Four times as much is a tenth of a second, see `StageChoice.workPerBand`.
  private static let short = Duration.milliseconds(25)

  /// - Parameter isMeasured: whether `work` follows from what the device can do.
  package init(work: Int, isMeasured: Bool) {
    self.work = work
    isSettled = isMeasured
  }

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
