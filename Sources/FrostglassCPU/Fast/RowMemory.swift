internal import FrostglassCore
internal import Glibc
internal import Synchronization

/// Memory for rows that is given out piece by piece and taken back all at once.
///
/// A worker's is kept from run to run where pictures are whole, so that only the first run pays for
/// fresh pages; a stream has its own.
///
/// Guarded memory finds mistakes, slowly: every row lies between pages that cannot be touched, so that
/// reading or writing beyond it ends the process, and what was not written yet holds a byte of the
/// tester's choice, so that what depends on it differs from one choice to another.
final class RowMemory: @unchecked Sendable {
  private var chunks: [Chunk] = []
  private var used = 0
  /// What guarded memory is filled with; `nil` where memory is not guarded.
  private let fill: UInt8?
  /// Where large chunks come from and go to.
  private let spare: SpareMemory?

  private struct Chunk {
    let start: UnsafeMutableRawPointer
    let count: Int
    /// What is freed; `nil` where it is unmapped.
    var owner: UnsafeMutableRawPointer?
    /// What goes to the spare memory instead.
    var piece: SpareMemory.Piece?
  }

  /// - Parameters:
  ///   - fill: guards all memory, and fills it with this byte.
  ///   - spare: where large chunks come from and go to, for plans of which there is a new one now and then.
  init(guardedWith fill: UInt8? = nil, from spare: SpareMemory? = nil) {
    self.fill = fill
    self.spare = spare
  }

  /// Bytes that it has.
  var byteCount: Int { chunks.reduce(0) { $0 + $1.count } }

  deinit { free() }

  /// Takes everything back. What was spread over several chunks will be in one.
  func reset() {
    used = 0
    guard fill == nil else { return free() }
    guard chunks.count > 1 else { return }
    let total = chunks.reduce(0) { $0 + $1.count }
    free()
    chunks = [chunk(total)]
  }

  /// Room for `count` values of a type without meaning of its own, aligned for vectors: whatever
  /// is left from earlier use.
  func take<Value: BitwiseCopyable>(_ count: Int) -> UnsafeMutablePointer<Value> {
    let bytes = (count * MemoryLayout<Value>.stride + 63) & ~63
    guard fill == nil else {
      return guarded(rows: 1, of: bytes).bindMemory(to: Value.self, capacity: count)
    }
    let chunk = chunkWithRoom(bytes)
    defer { used += bytes }
    return (chunk.start + used).bindMemory(to: Value.self, capacity: count)
  }

  /// Room for rows.
  ///
  /// - Parameters:
  ///   - stride: bytes from one row to the next; more where memory is guarded.
  func take(rows: Int, stride: Int) -> (first: UnsafeMutableRawPointer, stride: Int) {
    guard fill == nil else { return (guarded(rows: rows, of: stride), Self.guardedStride(stride)) }
    return (UnsafeMutableRawPointer(take(rows * stride) as UnsafeMutablePointer<UInt8>), stride)
  }

  private func chunkWithRoom(_ bytes: Int) -> Chunk {
    if let last = chunks.last, used + bytes <= last.count { return last }
    // Small at first: a plan for a small part of a frame needs little.
    let chunk = chunk(max(bytes, 1 << min(16 + chunks.count, 20)))
    chunks.append(chunk)
    used = 0
    return chunk
  }

  private func chunk(_ bytes: Int) -> Chunk {
    if let piece = spare?.take(bytes) {
      return Chunk(start: piece.start, count: piece.count, piece: piece)
    }
    // Not zeros: of what is left from earlier use that would be work for every new plan.
    guard let owner = malloc(bytes + 64) else { fatalError("no memory for rows") }
    return Chunk(start: owner.alignedUp(toMultipleOf: 64), count: bytes, owner: owner)
  }

  private func free() {
    for chunk in chunks {
      if let piece = chunk.piece {
        spare?.give(piece)
      } else if let owner = chunk.owner {
        Glibc.free(owner)
      } else {
        munmap(chunk.start, chunk.count)
      }
    }
    chunks = []
  }

  private static let page = sysconf(Int32(_SC_PAGESIZE))

  /// Whole pages for a row, and one that cannot be touched.
  private static func guardedStride(_ bytes: Int) -> Int {
    (bytes + page - 1) / page * page + page
  }

  /// Rows that each end where a page begins that cannot be touched; one lies before the first, too.
  private func guarded(rows: Int, of bytes: Int) -> UnsafeMutableRawPointer {
    let stride = Self.guardedStride(bytes)
    let count = Self.page + rows * stride
    let start = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let start, start != MAP_FAILED else { fatalError("no memory for guarded rows") }
    memset(start, Int32(fill ?? 0), count)
    for row in 0...rows { mprotect(start + row * stride, Self.page, PROT_NONE) }
    chunks.append(Chunk(start: start, count: count))
    return start + stride - bytes
  }
}

/// The rows of an input picture.
struct InputRows: @unchecked Sendable {
  let format: PixelFormat
  /// Pixels of a row.
  let width: Int
  /// Rows that the picture has.
  let height: Int
  /// Rows that are kept: row `y` replaces row `y - capacity`.
  let capacity: Int
  let bytesPerRow: Int
  let bytes: UnsafeRawPointer
  /// Where the rows are instead, if that changes from frame to frame.
  private var place: UnsafePointer<PixelPlace>?

  /// A whole picture wherever a place says.
  init(_ input: Plan.Input, at place: UnsafePointer<PixelPlace>) {
    self.init(
      format: input.format, width: input.size.width, height: input.size.height,
      capacity: input.size.height, bytesPerRow: 0, bytes: UnsafeRawPointer(place))
    self.place = place
  }

  /// A whole picture.
  init(_ image: Image, _ bytes: UnsafeRawPointer) {
    self.init(
      format: image.format, width: image.size.width, height: image.size.height,
      capacity: image.size.height,
      bytesPerRow: image.bytesPerRow, bytes: bytes)
  }

  /// A picture whose rows are copied to memory of their own.
  init(copy rows: InputRows, in memory: RowMemory) {
    let length = rows.width * rows.format.bytesPerPixel
    let room = memory.take(rows: rows.height, stride: length)
    for y in 0..<rows.height {
      (room.first + y * room.stride).copyMemory(from: rows.row(y), byteCount: length)
    }
    self.init(
      format: rows.format, width: rows.width, height: rows.height, capacity: rows.height,
      bytesPerRow: room.stride, bytes: UnsafeRawPointer(room.first))
  }

  init(
    format: PixelFormat, width: Int, height: Int, capacity: Int, bytesPerRow: Int,
    bytes: UnsafeRawPointer
  ) {
    self.format = format
    self.width = width
    self.height = height
    self.capacity = capacity
    self.bytesPerRow = bytesPerRow
    self.bytes = bytes
  }

  /// The first byte of a row; it must be one of the picture.
  func row(_ y: Int) -> UnsafeRawPointer {
    precondition((0..<height).contains(y), "a row is read that the picture does not have")
    if let place { return UnsafeRawPointer(place.pointee.bytes + y * place.pointee.bytesPerRow) }
    return bytes + y % capacity * bytesPerRow
  }
}

/// Where the rows of a result go.
struct OutputRows: @unchecked Sendable {
  /// The part of the picture that is made.
  var rect: Rect
  /// The part that there is memory for; more, where parts are made one by one.
  let frame: Rect
  let format: PixelFormat
  /// Rows that are kept: row `y` replaces row `y - capacity`.
  let capacity: Int
  let bytesPerRow: Int
  let bytes: UnsafeMutableRawPointer
  /// Where the rows are instead, if that changes from frame to frame.
  var place: UnsafePointer<PixelPlace>?

  /// The first byte of a row, given in absolute coordinates; it must be one of the result.
  func row(_ y: Int) -> UnsafeMutableRawPointer {
    precondition(rect.rows.contains(y), "a row is written that the result does not have")
    let left = (rect.x - frame.x) * format.bytesPerPixel
    if let place { return place.pointee.bytes + (y - frame.y) * place.pointee.bytesPerRow + left }
    return bytes + (y - frame.y) % capacity * bytesPerRow + left
  }

  init(
    rect: Rect, format: PixelFormat, capacity: Int, bytesPerRow: Int,
    bytes: UnsafeMutableRawPointer
  ) {
    (self.rect, frame) = (rect, rect)
    self.format = format
    self.capacity = capacity
    self.bytesPerRow = bytesPerRow
    self.bytes = bytes
  }

  /// The same for a part of what is made.
  func part(_ rect: Rect) -> OutputRows {
    var rows = self
    rows.rect = rect
    return rows
  }
}

/// Where a picture's rows are in memory.
struct PixelPlace {
  /// Of the first row. Inputs are only read.
  var bytes = UnsafeMutableRawPointer(bitPattern: 64).unsafelyUnwrapped
  var bytesPerRow = 0
}

extension InputRows {
  /// Where a whole picture is.
  var memory: PixelPlace {
    place?.pointee
      ?? PixelPlace(bytes: UnsafeMutableRawPointer(mutating: bytes), bytesPerRow: bytesPerRow)
  }
}

extension OutputRows {
  /// Where a whole result is.
  var memory: PixelPlace { place?.pointee ?? PixelPlace(bytes: bytes, bytesPerRow: bytesPerRow) }

  /// The same where the place is now.
  var fixed: OutputRows {
    OutputRows(
      rect: rect, format: format, capacity: capacity, bytesPerRow: memory.bytesPerRow,
      bytes: memory.bytes)
  }

  /// A whole result wherever a place says.
  init(_ result: Plan.Result, at place: UnsafeMutablePointer<PixelPlace>) {
    self.init(result, bytesPerRow: 0, bytes: place.pointee.bytes)
    self.place = UnsafePointer(place)
  }

  /// A whole result.
  init(_ result: Plan.Result, bytesPerRow: Int, bytes: UnsafeMutableRawPointer) {
    self.init(
      rect: result.rect, format: result.format, capacity: result.rect.height,
      bytesPerRow: bytesPerRow, bytes: bytes)
  }

  /// A whole result with rows in memory of their own.
  init(_ result: Plan.Result, in memory: RowMemory) {
    let room = memory.take(
      rows: result.rect.height, stride: result.rect.width * result.format.bytesPerPixel)
    self.init(result, bytesPerRow: room.stride, bytes: room.first)
  }

  /// Copies all rows to another place for the same result.
  func copy(to other: OutputRows) {
    for y in rect.rows {
      other.row(y).copyMemory(from: row(y), byteCount: rect.width * format.bytesPerPixel)
    }
  }
}

/// Which rows are in a ring that keeps the last few: row y is at y modulo their number.
///
/// What is in it belongs to one run: the next has rows of its own with the same numbers.
struct HeldRows {
  private var rows: [Int]
  private let current: CurrentRun
  /// The run that rows are held of.
  private var run = 0

  init(_ count: Int, _ current: CurrentRun) {
    rows = [Int](repeating: .min, count: count)
    self.current = current
  }

  var count: Int { rows.count }

  /// Forgets what is left of another run.
  mutating func begin() {
    guard run != current.number else { return }
    for place in rows.indices { rows[place] = .min }
    run = current.number
  }

  /// Where a row is, and whether it has to be put there first.
  mutating func take(_ y: Int) -> (place: Int, isNew: Bool) {
    let place = floorModulo(y, rows.count)
    let isNew = rows[place] != y
    rows[place] = y
    return (place, isNew)
  }
}

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
