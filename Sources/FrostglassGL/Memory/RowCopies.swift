internal import FrostglassCore
internal import Glibc

/// Copies rows between pictures and the memory of buffers, by several threads where there is much to copy:
/// one thread reaches a fraction of what a machine's memory gives, and the device waits for it.
final class RowCopies: Sendable {
  /// More threads gain little, and they are wanted by others.
  private static let mostThreads = 4
  /// The least bytes worth another thread: less is copied while one wakes up.
  private static let leastBytes = 1 << 20

  private let threads = min(ProcessorCores.count, RowCopies.mostThreads)
  private let pool = ThreadPool()

  /// - Parameters:
  ///   - target: the first row, `targetStride` bytes before the next.
  ///   - source: the same of what is copied.
  ///   - length: bytes of a row.
  func copy(
    to target: UnsafeMutableRawPointer, every targetStride: Int,
    from source: UnsafeRawPointer, every sourceStride: Int, length: Int, rows: Int
  ) {
    let copy = RowCopy(
      target: target, targetStride: targetStride, source: source, sourceStride: sourceStride,
      length: length)
    let parts = max(min(threads, rows, length * rows / RowCopies.leastBytes), 1)
    let left = Monitor(parts - 1)
    for part in 1..<parts {
      pool.start {
        copy.run(rows * part / parts..<rows * (part + 1) / parts)
        left.change { $0 -= 1 }
      }
    }
    copy.run(0..<rows / parts)
    left.wait(until: { $0 == 0 }) { _ in }
  }
}

/// Rows that lie at equal distances.
// Threads write rows that do not overlap, and are waited for while both memories are there.
private struct RowCopy: @unchecked Sendable {
  let target: UnsafeMutableRawPointer
  let targetStride: Int
  let source: UnsafeRawPointer
  let sourceStride: Int
  let length: Int

  func run(_ rows: Range<Int>) {
    let (target, source) = (
      target + rows.lowerBound * targetStride, source + rows.lowerBound * sourceStride
    )
    if length == targetStride, length == sourceStride {
      memcpy(target, source, length * rows.count)
    } else {
      for row in 0..<rows.count {
        memcpy(target + row * targetStride, source + row * sourceStride, length)
      }
    }
  }
}
