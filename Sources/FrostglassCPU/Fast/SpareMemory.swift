internal import Glibc
internal import Synchronization

/// Large pieces of memory that plans have given back, for the next ones that need some.
///
/// Where what moves changes its size, a plan goes and another comes with every frame. What is left in a piece
/// costs nothing, where fresh pages would; and what is too much goes back to the system at once, where `free`
/// would keep it, for each thread by itself.
final class SpareMemory: Sendable {
  /// Whole pages.
  struct Piece: @unchecked Sendable {
    let start: UnsafeMutableRawPointer
    let count: Int
  }

  private let pieces = Mutex<[Piece]>([])

  /// Smaller ones are not worth it.
  private static let least = 1 << 17
  /// Bytes that wait at most: what a plan or two for a part of a frame take.
  private static let most = 16 << 20

  deinit { pieces.withLock { for piece in $0 { Self.free(piece) } } }

  /// A piece of at least so many bytes, with whatever is left in it; `nil` for few.
  func take(_ bytes: Int) -> Piece? {
    guard bytes >= Self.least else { return nil }
    let found = pieces.withLock { pieces -> Piece? in
      let fitting = pieces.indices.filter {
        pieces[$0].count >= bytes && pieces[$0].count <= 2 * bytes
      }
      return fitting.min { pieces[$0].count < pieces[$1].count }.map { pieces.remove(at: $0) }
    }
    return found ?? Self.piece(bytes)
  }

  /// Takes a piece back.
  func give(_ piece: Piece) {
    let gone = pieces.withLock { pieces in
      pieces.append(piece)
      var total = pieces.reduce(0) { $0 + $1.count }
      var gone: [Piece] = []
      while total > Self.most {
        gone.append(pieces.removeFirst())
        total -= gone[gone.count - 1].count
      }
      return gone
    }
    for piece in gone { Self.free(piece) }
  }

  private static func piece(_ bytes: Int) -> Piece? {
    let page = sysconf(Int32(_SC_PAGESIZE))
    let count = (bytes + page - 1) / page * page
    let start = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let start, start != MAP_FAILED else { return nil }
    return Piece(start: start, count: count)
  }

  private static func free(_ piece: Piece) { munmap(piece.start, piece.count) }
}
