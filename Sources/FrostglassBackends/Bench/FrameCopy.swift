internal import Glibc

/// The yardstick of a measurement: a plain copy of the frame into memory that was used before.
package final class FrameCopy: Sendable {
  private let frame: Image
  private let threads: Int
  /// Written by one `run` at a time, each thread its own part.
  private nonisolated(unsafe) let copy: UnsafeMutableRawBufferPointer

  /// - Parameter threads: parts copied at once; 1 or more.
  package init(of frame: Image, threads: Int) {
    self.frame = frame
    self.threads = max(threads, 1)
    copy = .allocate(byteCount: frame.bytes.count, alignment: 64)
    // The first touch of each page is the kernel's work.
    copy.initializeMemory(as: UInt8.self, repeating: 0)
  }

  deinit { copy.deallocate() }

  /// Copies the frame once.
  ///
  /// - Returns: how long it took.
  package func run() async -> Duration {
    let start = ContinuousClock.now
    await withTaskGroup(of: Void.self) { group in
      for part in 1..<max(threads, 2) where part < threads {
        group.addTask { self.copyPart(part) }
      }
      copyPart(0)
    }
    return start.duration(to: .now)
  }

  /// What was copied.
  package var bytes: [UInt8] { Array(copy) }

  private func copyPart(_ part: Int) {
    let bounds = (part...part + 1).map { $0 * frame.size.height / threads * frame.bytesPerRow }
    let end = part == threads - 1 ? frame.bytes.count : bounds[1]
    frame.bytes.withUnsafeBytes { source in
      guard let from = source.baseAddress, let to = copy.baseAddress, end > bounds[0] else {
        return
      }
      memcpy(to + bounds[0], from + bounds[0], end - bounds[0])
    }
  }
}
