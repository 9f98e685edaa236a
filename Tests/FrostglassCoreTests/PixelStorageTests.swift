import FrostglassCore
import Synchronization
import TestSupport
import Testing

/// Images on memory that is not their own.
struct PixelStorageTests {
  /// Memory of a caller's that counts who has released it.
  private final class Memory: Sendable {
    nonisolated(unsafe) let bytes: UnsafeMutableRawBufferPointer
    private let count = Mutex(0)

    init(_ bytes: [UInt8]) {
      self.bytes = .allocate(byteCount: bytes.count, alignment: 1)
      self.bytes.copyBytes(from: bytes)
    }

    deinit { bytes.deallocate() }

    var releases: Int { count.withLock { $0 } }
    func release() { count.withLock { $0 += 1 } }
  }

  private let gray = Plan.Input(
    size: Size(width: 2, height: 2), format: .gray8, alpha: .opaque, transfer: .encoded)

  @Test func pixelsAreReadWhereTheyAre() throws {
    let memory = Memory([1, 2, 9, 3, 4])
    do {
      let image = try Image(
        PixelMemory(gray, bytes: UnsafeRawBufferPointer(memory.bytes), bytesPerRow: 3),
        release: memory.release)
      #expect(image.sample(x: 1, y: 1, channel: 0) == 4 / Float(255))
      memory.bytes[4] = 5
      #expect(image.sample(x: 1, y: 1, channel: 0) == 5 / Float(255))
      #expect(
        image.withUnsafeBytes { $0.baseAddress == UnsafeRawPointer(memory.bytes.baseAddress) })
      #expect(image.bytes == [1, 2, 9, 3, 5])
      #expect(memory.releases == 0)
    }
    #expect(memory.releases == 1)
  }

  @Test func memoryThatIsOnlyReadIsCopiedBeforeAChange() throws {
    let memory = Memory([1, 2, 3, 4])
    var image = try Image(
      PixelMemory(gray, bytes: UnsafeRawBufferPointer(memory.bytes)), release: memory.release)
    image.setSample(1, x: 0, y: 0, channel: 0)
    #expect(image.bytes == [255, 2, 3, 4])
    #expect(Array(memory.bytes) == [1, 2, 3, 4])
    #expect(memory.releases == 1, "the copy is all that is needed")
  }

  @Test func memoryToWriteToIsChangedWhereItIs() throws {
    let memory = Memory([1, 2, 3, 4])
    var image = try Image(
      gray, in: MutablePixelMemory(bytes: memory.bytes, bytesPerRow: 2), release: memory.release)
    image.setSample(1, x: 0, y: 0, channel: 0)
    #expect(Array(memory.bytes) == [255, 2, 3, 4])
    // With a copy around, it is a value like any other.
    let copy = image
    image.setSample(1, x: 1, y: 0, channel: 0)
    #expect(Array(memory.bytes) == [255, 2, 3, 4])
    #expect(copy.bytes == [255, 2, 3, 4])
    #expect(image.bytes == [255, 255, 3, 4])
    #expect(memory.releases == 0)
    image.bytes[2] = 0
    #expect(image.bytes == [255, 255, 0, 4])
  }

  @Test func whatIsTooShortIsRefusedAndKept() {
    let memory = Memory([1, 2, 3, 4])
    #expect(throws: ImageError.tooFewBytes(4, needed: 5)) {
      try Image(
        PixelMemory(gray, bytes: UnsafeRawBufferPointer(memory.bytes), bytesPerRow: 3),
        release: memory.release)
    }
    #expect(throws: ImageError.strideTooSmall(1, needed: 2)) {
      try Image(
        gray, in: MutablePixelMemory(bytes: memory.bytes, bytesPerRow: 1), release: memory.release)
    }
    #expect(memory.releases == 0)
  }
}
