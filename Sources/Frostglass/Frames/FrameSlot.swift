/// Memory of one frame on its way and of what is made of it.
package final class FrameSlot: @unchecked Sendable {
  /// The frame.
  package private(set) var frame = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  /// The rendered frame.
  package private(set) var result = UnsafeMutableRawBufferPointer(start: nil, count: 0)

  /// Without memory.
  package init() {}

  package convenience init(_ frameBytes: Int, _ resultBytes: Int) {
    self.init()
    reserve(frameBytes, resultBytes)
  }

  deinit {
    frame.deallocate()
    result.deallocate()
  }

  /// Makes room for frames and results of so many bytes; what was there may be lost.
  package func reserve(_ frameBytes: Int, _ resultBytes: Int) {
    Self.grow(&frame, to: frameBytes)
    Self.grow(&result, to: resultBytes)
  }

  private static func grow(_ memory: inout UnsafeMutableRawBufferPointer, to bytes: Int) {
    guard memory.count < bytes else { return }
    memory.deallocate()
    memory = .allocate(byteCount: bytes, alignment: 64)
  }
}
