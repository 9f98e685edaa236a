/// How many rounds are measured.
package enum BenchLength: Sendable, Hashable {
  /// So many; at least 1.
  case rounds(Int)
  /// At least nine rounds and a second; slow ones end after ten seconds, but not before the third.
  case automatic

  func isEnough(_ rounds: Int, after time: Duration) -> Bool {
    switch self {
    case .rounds(let count): rounds >= count
    case .automatic:
      (rounds >= 9 && time >= .seconds(1)) || (rounds >= 3 && time >= .seconds(10))
    }
  }
}
