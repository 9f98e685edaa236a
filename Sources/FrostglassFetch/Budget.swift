internal import FrostglassFetching

/// Memory that bodies take together.
///
/// No origin and no client gets more than half of it, so that none keeps all others out; one body always may.
final class Budget {
  private let all: Int
  private var taken = 0
  private var byShare: [String: Int] = [:]

  init(_ bytes: Int) { all = bytes }

  /// Takes bytes for the body of an order.
  ///
  /// - Returns: false where there are not so many.
  func take(_ bytes: Int, for order: FetchOrder) -> Bool {
    let most = max(all / 2, order.mostBytes)
    guard taken + bytes <= all, order.shares.allSatisfy({ byShare[$0, default: 0] + bytes <= most })
    else { return false }
    taken += bytes
    for share in order.shares { byShare[share, default: 0] += bytes }
    return true
  }

  func giveBack(_ bytes: Int, of order: FetchOrder) {
    taken -= bytes
    for share in order.shares {
      let left = byShare[share, default: 0] - bytes
      byShare[share] = left > 0 ? left : nil
    }
  }
}
