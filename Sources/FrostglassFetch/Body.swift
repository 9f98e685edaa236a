internal import FrostglassFetching

/// The body of a response, in pieces that are never moved. A growing array would be in memory twice for a
/// moment, with a capacity of more than twice its contents.
struct Body {
  private var pieces: [[UInt8]] = []
  private var room = 0
  private(set) var count = 0
  /// The memory that it takes, in bytes.
  private(set) var memory = 0

  private static let longestPiece = 256 << 10

  /// Appends bytes if the budget has memory for them.
  ///
  /// - Returns: false if it has none.
  mutating func append(
    _ bytes: UnsafeRawBufferPointer, _ budget: Budget, for order: FetchOrder
  ) -> Bool {
    var bytes = bytes[...]
    while !bytes.isEmpty {
      if room == 0 {
        room = max(bytes.count, min(count, Self.longestPiece, order.mostBytes - count))
        guard budget.take(room, for: order) else { return false }
        memory += room
        var piece: [UInt8] = []
        piece.reserveCapacity(room)
        pieces.append(piece)
      }
      let part = bytes.prefix(room)
      pieces[pieces.count - 1].append(contentsOf: part)
      (room, count) = (room - part.count, count + part.count)
      bytes = bytes.dropFirst(part.count)
    }
    return true
  }

  /// All of it in one piece.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    for piece in pieces { bytes += piece }
    return bytes
  }
}
