internal import FrostglassFetching

/// The memory budget of all bodies.
///
/// No origin and no client gets more than half of it, so that none keeps all others out. One body may always
/// exceed that.
final class Budget {
  private let all: Int
  private var taken = 0
  private var byShare: [String: Int] = [:]

  init(_ bytes: Int) { all = bytes }

  /// Takes bytes for the body of an order.
  ///
  /// - Returns: false if there are not enough left.
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
