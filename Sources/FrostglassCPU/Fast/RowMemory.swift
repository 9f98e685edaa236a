internal import CKernels
internal import FrostglassCore
internal import Glibc
internal import Synchronization

/// Memory for rows that is given out piece by piece, and goes with who has it.
///
/// Who makes something ready takes what it needs here, and writes into it, until it runs, only by what
/// fills what it gives. Where there is no memory, everything is made ready all the same, so that it is known
/// how much it would be, and who would run it looks at `shortage` before.
///
/// Guarded memory finds mistakes, slowly: every row lies between pages that cannot be touched, so that
/// reading or writing beyond it ends the process, and what was not written yet holds a byte of the
/// tester's choice, so that what depends on it differs from one choice to another.
final class RowMemory {
  private var chunks: [Chunk] = []
  /// Scratch bytes of passes while they run.
  private(set) var noted = 0
  /// The byte that fills guarded memory; `nil` if memory is not guarded.
  private let fill: UInt8?
  /// The pool of large chunks.
  private let spare: SpareMemory?
  /// Bytes that there are at most.
  private let limit: Int
  /// True if pieces can be written to: there was memory for all of them.
  private(set) var isThere = true

  private struct Chunk {
    let start: UnsafeMutableRawPointer
    let count: Int
    /// Bytes that are given out.
    var used = 0
    let owner: Owner
  }

  private enum Owner {
    /// Memory to free.
    case heap(UnsafeMutableRawPointer)
    case spare(SpareMemory.Piece)
    case mapped
    /// It is not there.
    case nobody
  }

  /// - Parameters:
  ///   - fill: guards all memory, and fills it with this byte.
  ///   - spare: the pool of large chunks.
  ///   - limit: bytes that there are at most.
  init(guardedWith fill: UInt8?, from spare: SpareMemory? = nil, limit: Int = .max) {
    self.fill = fill
    self.spare = spare
    self.limit = limit
  }

  /// Bytes that it has, or would have.
  var byteCount: Int { chunks.reduce(0) { Self.sum($0, $1.count) } }

  /// The same with what passes take beside.
  private var total: Int { Self.sum(byteCount, noted) }

  /// Why nothing that was made ready here can run; `nil` where all memory is there. It stays so.
  var shortage: BackendError? { isThere ? nil : .noRows(total) }

  /// Gives out the same again, to who uses it before or after those that have it.
  ///
  /// Guarded memory is not given out twice.
  func rewind() {
    if fill == nil { for index in chunks.indices { chunks[index].used = 0 } }
  }

  /// Room for `count` values of a type without meaning of its own, aligned for vectors: whatever
  /// is left from earlier use.
  func take<Value: BitwiseCopyable>(_ count: Int) -> UnsafeMutablePointer<Value> {
    let bytes = Self.rounded(Self.product(count, MemoryLayout<Value>.stride))
    return take(rows: 1, stride: bytes).first.bindMemory(to: Value.self, capacity: count)
  }

  /// The same with one value everywhere.
  func take<Value: BitwiseCopyable>(_ count: Int, of value: Value) -> UnsafeMutablePointer<Value> {
    let room: UnsafeMutablePointer<Value> = take(count)
    if isThere { room.update(repeating: value, count: count) }
    return room
  }

  /// Room for some values, with these in it.
  func take<Value: BitwiseCopyable>(copying values: [Value]) -> UnsafeMutablePointer<Value> {
    let room: UnsafeMutablePointer<Value> = take(values.count)
    if isThere { room.update(from: values, count: values.count) }
    return room
  }

  /// Room for rows.
  ///
  /// - Parameters:
  ///   - stride: bytes from one row to the next; more where memory is guarded.
  func take(rows: Int, stride: Int) -> (first: UnsafeMutableRawPointer, stride: Int) {
    let bytes = Self.rounded(Self.product(rows, stride))
    if let fill, isThere {
      return (guarded(rows: rows, of: stride, fill), Self.guardedStride(stride))
    }
    let place = chunkWithRoom(bytes)
    defer { chunks[place].used += bytes }
    return (isThere ? chunks[place].start + chunks[place].used : Self.nowhere, stride)
  }

  /// Counts what a pass takes while it runs, which is not from here. Where there would be no memory for it
  /// now, there is none: later it could only end the process.
  func note(_ bytes: Int) {
    noted = Self.sum(noted, bytes)
    guard isThere else { return }
    let room = total <= limit ? malloc(bytes) : nil
    isThere = room != nil
    Glibc.free(room)
  }

  private func chunkWithRoom(_ bytes: Int) -> Int {
    let fitting = chunks.firstIndex { Self.sum($0.used, bytes) <= $0.count }
    if let fitting { return fitting }
    // Small: a plan for a small part of a frame needs little.
    chunks.append(chunk(max(bytes, 1 << min(14 + chunks.count, 17))))
    return chunks.count - 1
  }

  private func chunk(_ bytes: Int) -> Chunk {
    isThere = isThere && Self.sum(total, bytes) <= limit
    guard isThere else { return Chunk(start: Self.nowhere, count: bytes, owner: .nobody) }
    if let piece = spare?.take(bytes) {
      return Chunk(start: piece.start, count: piece.count, owner: .spare(piece))
    }
    // Not zeroed: clearing reused memory would cost time for every new plan.
    guard let owner = malloc(bytes + 64) else {
      isThere = false
      return chunk(bytes)
    }
    return Chunk(start: owner.alignedUp(toMultipleOf: 64), count: bytes, owner: .heap(owner))
  }

  deinit {
    for chunk in chunks {
      switch chunk.owner {
      case .heap(let owner): Glibc.free(owner)
      case .spare(let piece): spare?.give(piece)
      case .mapped: munmap(chunk.start, chunk.count)
      case .nobody: break
      }
    }
  }

  /// The placeholder of a piece that could not be allocated.
  private static var nowhere: UnsafeMutableRawPointer {
    UnsafeMutableRawPointer(bitPattern: 64).unsafelyUnwrapped
  }

  /// More than there is anywhere, and less than half of what a number holds.
  private static let most = 1 << 61

  private static func product(_ count: Int, _ size: Int) -> Int {
    let (product, isTooLarge) = count.multipliedReportingOverflow(by: size)
    return isTooLarge ? most : min(product, most)
  }

  private static func sum(_ bytes: Int, _ more: Int) -> Int { min(bytes + more, most) }

  /// A multiple of what vectors are aligned to.
  private static func rounded(_ bytes: Int) -> Int { (bytes + 63) & ~63 }

  private static let page = sysconf(Int32(_SC_PAGESIZE))

  /// Whole pages for a row, and one that cannot be touched.
  private static func guardedStride(_ bytes: Int) -> Int {
    (bytes + page - 1) / page * page + page
  }

  /// Rows that each end where a page begins that cannot be touched; one lies before the first, too.
  private func guarded(rows: Int, of bytes: Int, _ fill: UInt8) -> UnsafeMutableRawPointer {
    let stride = Self.guardedStride(bytes)
    let count = Self.page + rows * stride
    let isAllowed = Self.sum(total, count) <= limit
    let start =
      isAllowed
      ? mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : nil
    guard let start, start != MAP_FAILED else {
      isThere = false
      return Self.nowhere
    }
    memset(start, Int32(fill), count)
    for row in 0...rows { mprotect(start + row * stride, Self.page, PROT_NONE) }
    chunks.append(Chunk(start: start, count: count, used: count, owner: .mapped))
    return start + stride - bytes
  }
}

extension BackendError {
  /// Returns the error of a run that has no memory for its rows.
  static func noRows(_ bytes: Int) -> BackendError {
    .failed(backend: "fast", what: "there is no memory for \(bytes) bytes of rows")
  }
}

/// Large pieces of memory that plans have given back, for the next ones that need some.
///
/// Where what moves changes its size, a plan goes and another comes with every frame. What is left in a piece
/// costs nothing, where fresh pages would; and what is too much goes back to the system at once, where `free`
/// would keep it, for each thread.
final class SpareMemory: Sendable {
  /// Whole pages.
  struct Piece: Sendable {
    /// The piece's bytes. Only its owner may touch them.
    nonisolated(unsafe) let start: UnsafeMutableRawPointer
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
