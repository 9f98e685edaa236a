internal import CKernels

/// Memory for rows that is given out piece by piece and taken back all at once, for one worker.
///
/// It is kept from run to run, so that only the first pays for fresh pages.
final class RowMemory: @unchecked Sendable {
  private var chunks: [UnsafeMutableRawBufferPointer] = []
  private var used = 0

  deinit { for chunk in chunks { chunk.deallocate() } }

  /// Takes everything back. What was spread over several chunks will be in one.
  func reset() {
    used = 0
    guard chunks.count > 1 else { return }
    let total = chunks.reduce(0) { $0 + $1.count }
    for chunk in chunks { chunk.deallocate() }
    chunks = [Self.chunk(total)]
  }

  /// Samples of some value; aligned for vectors.
  func samples(_ count: Int) -> UnsafeMutablePointer<Int16> { take(count) }

  /// Room for `count` values of a type without meaning of its own, zero or left from earlier use.
  func take<Value>(_ count: Int) -> UnsafeMutablePointer<Value> {
    let bytes = (count * MemoryLayout<Value>.stride + 63) & ~63
    if used + bytes > chunks.last?.count ?? 0 {
      chunks.append(Self.chunk(max(bytes, 1 << 20)))
      used = 0
    }
    defer { used += bytes }
    return (chunks[chunks.count - 1].baseAddress! + used)
      .bindMemory(to: Value.self, capacity: count)
  }

  private static func chunk(_ bytes: Int) -> UnsafeMutableRawBufferPointer {
    let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes, alignment: 64)
    chunk.initializeMemory(as: UInt8.self, repeating: 0)
    return chunk
  }
}
