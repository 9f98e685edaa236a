/// Memory for rows that is given out piece by piece and taken back all at once, for one worker.
///
/// It is kept from run to run, so that only the first pays for fresh pages.
final class RowMemory: @unchecked Sendable {
  private var chunks: [Chunk] = []
  private var used = 0

  private struct Chunk {
    let start: UnsafeMutableRawPointer
    let count: Int
  }

  deinit { for chunk in chunks { chunk.start.deallocate() } }

  /// Takes everything back. What was spread over several chunks will be in one.
  func reset() {
    used = 0
    guard chunks.count > 1 else { return }
    let total = chunks.reduce(0) { $0 + $1.count }
    for chunk in chunks { chunk.start.deallocate() }
    chunks = [Self.chunk(total)]
  }

  /// Room for `count` values of a type without meaning of its own, aligned for vectors: zero or left
  /// from earlier use.
  func take<Value>(_ count: Int) -> UnsafeMutablePointer<Value> {
    let bytes = (count * MemoryLayout<Value>.stride + 63) & ~63
    let chunk = chunkWithRoom(bytes)
    defer { used += bytes }
    return (chunk.start + used).bindMemory(to: Value.self, capacity: count)
  }

  private func chunkWithRoom(_ bytes: Int) -> Chunk {
    if let last = chunks.last, used + bytes <= last.count { return last }
    let chunk = Self.chunk(max(bytes, 1 << 20))
    chunks.append(chunk)
    used = 0
    return chunk
  }

  private static func chunk(_ bytes: Int) -> Chunk {
    let start = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 64)
    start.initializeMemory(as: UInt8.self, repeating: 0, count: bytes)
    return Chunk(start: start, count: bytes)
  }
}
