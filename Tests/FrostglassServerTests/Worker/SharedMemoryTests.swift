import FrostglassConfinement
import Glibc
import Testing

/// Memory that a worker has with the service: whatever the worker does to it, the service lives on.
@Suite struct SharedMemoryTests {
  private let memory: SharedMemory
  /// As the other side has it.
  private let mapped: SharedMemory

  init() throws {
    memory = try SharedMemory(count: 1 << 20)
    mapped = try SharedMemory(mapping: dup(memory.descriptor))
  }

  @Test func eitherSideSeesWhatTheOtherWrote() {
    #expect(memory.write([1, 2, 3], at: 5000))
    #expect(mapped.bytes(at: 4999, count: 5) == [0, 1, 2, 3, 0])
    #expect(mapped.write([9, 8], at: 5001))
    #expect(memory.bytes(at: 5000, count: 3) == [1, 9, 8])
    #expect(mapped.count == 1 << 20)
  }

  @Test func nothingIsReadOrWrittenBeyondItsEnd() {
    for side in [memory, mapped] {
      #expect(side.write([1, 2], at: side.count - 2))
      #expect(!side.write([1, 2], at: side.count - 1))
      #expect(!side.write([1], at: -1))
      #expect(!side.write([1], at: .max))
      #expect(side.bytes(at: side.count - 2, count: 2) == [1, 2])
      #expect(side.bytes(at: side.count, count: 0) == [])
      #expect(side.bytes(at: side.count - 1, count: 2) == nil)
      #expect(side.bytes(at: 0, count: .max) == nil)
      #expect(side.bytes(at: 1, count: -1) == nil)
    }
  }

  /// Seals hold without a sandbox, because the kernel enforces them.
  @Test func nobodyChangesItsSizeOrItsSeals() {
    for descriptor in [memory.descriptor, mapped.descriptor] {
      for size in [0, 4096, 2 << 20] {
        #expect(ftruncate(descriptor, size) == -1 && errno == EPERM)
      }
      // F_ADD_SEALS, F_SEAL_WRITE
      #expect(fcntl(descriptor, 1033, 8) == -1 && errno == EPERM)
    }
  }

  @Test func whatIsEmptiedIsGivenBack() throws {
    let bytes = [UInt8](repeating: 5, count: 1 << 20)
    #expect(mapped.write(bytes, at: 0))
    #expect(try taken() >= 1 << 20)
    memory.empty(from: 256 << 10)
    #expect(try taken() <= 256 << 10)
    #expect(mapped.bytes(at: (256 << 10) - 1, count: 2) == [5, 0])
    memory.empty(from: 2 << 20)
  }

  private func taken() throws -> Int {
    var status = stat()
    try #require(fstat(memory.descriptor, &status) == 0)
    return Int(status.st_blocks) * 512
  }

  @Test func otherDescriptorsAreNotMapped() {
    #expect(throws: SystemRefusal.self) { try SharedMemory(mapping: -1) }
    #expect(throws: SystemRefusal.self) {
      try SharedMemory(
        mapping: socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
    }
  }
}
