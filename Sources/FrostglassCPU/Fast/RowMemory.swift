internal import Glibc

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
  /// Bytes that were given out since the last time all was taken back.
  private(set) var taken = 0
  /// What guarded memory is filled with; `nil` where memory is not guarded.
  private let fill: UInt8?

  private struct Chunk {
    let start: UnsafeMutableRawPointer
    let count: Int
    /// What is freed; `nil` where it is unmapped.
    var owner: UnsafeMutableRawPointer?
  }

  /// - Parameter fill: guards all memory, and fills it with this byte.
  init(guardedWith fill: UInt8? = nil) { self.fill = fill }

  deinit { free() }

  /// Takes everything back. What was spread over several chunks will be in one.
  func reset() {
    (used, taken) = (0, 0)
    guard fill == nil else { return free() }
    guard chunks.count > 1 else { return }
    let total = chunks.reduce(0) { $0 + $1.count }
    free()
    chunks = [Self.chunk(total)]
  }

  /// Room for `count` values of a type without meaning of its own, aligned for vectors: whatever
  /// is left from earlier use.
  func take<Value: BitwiseCopyable>(_ count: Int) -> UnsafeMutablePointer<Value> {
    let bytes = (count * MemoryLayout<Value>.stride + 63) & ~63
    taken += bytes
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
    let chunk = Self.chunk(max(bytes, 1 << min(16 + chunks.count, 20)))
    chunks.append(chunk)
    used = 0
    return chunk
  }

  private static func chunk(_ bytes: Int) -> Chunk {
    // Not zeros: of what is left from earlier use that would be work for every new plan.
    guard let owner = malloc(bytes + 64) else { fatalError("no memory for rows") }
    return Chunk(start: owner.alignedUp(toMultipleOf: 64), count: bytes, owner: owner)
  }

  private func free() {
    for chunk in chunks {
      if let owner = chunk.owner { Glibc.free(owner) } else { munmap(chunk.start, chunk.count) }
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
