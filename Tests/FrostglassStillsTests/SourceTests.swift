import FrostglassCore
import FrostglassStills
import Glibc
import Testing

@Suite struct SourceTests {
  @Test(arguments: StillFormat.eightBit)
  func aFileReadsLikeItsBytes(format: StillFormat) throws {
    let scratch = Scratch()
    let bytes = try StillEncoder().encode(TestImage.ramp(.rgb8), as: format)
    // Brackets would be options in libvips' own file names.
    let path = scratch.add("a picture [page=2] ü.bin", bytes)
    let fromFile = try StillDecoder().decode(.file(path))
    let fromBytes = try StillDecoder().decode(.bytes(bytes))
    #expect(fromFile.format == format)
    #expect(fromFile.image.bytes == fromBytes.image.bytes)
  }

  @Test(arguments: StillFormat.eightBit)
  func aPipeReadsLikeAFile(format: StillFormat) throws {
    let bytes = try StillEncoder().encode(TestImage.ramp(.rgb8), as: format)
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    // Small enough for the pipe's own buffer.
    #expect(write(ends[1], bytes, bytes.count) == bytes.count)
    close(ends[1])
    defer { close(ends[0]) }
    let still = try StillDecoder().decode(.file("/dev/fd/\(ends[0])"))
    #expect(try still.image.bytes == StillDecoder().decode(.bytes(bytes)).image.bytes)
  }

  /// Programs that are started later look for libvips' modules there.
  @Test func libvipsHomeInTheEnvironmentIsLeftAlone() throws {
    _ = try StillEncoder().encode(TestImage.ramp(.rgb8), as: .png)
    let home = try #require(getenv("VIPSHOME").map { String(cString: $0) })
    #expect(home != "/dev/null")
  }

  @Test func aPipeWithoutDataIsEmpty() throws {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    close(ends[1])
    defer { close(ends[0]) }
    let path = "/dev/fd/\(ends[0])"
    #expect(throws: DecodeError.empty(name: path)) { try StillDecoder().decode(.file(path)) }
  }

  @Test func manyThreadsDecodeAndEncodeAtOnce() async throws {
    let image = TestImage.ramp(.rgb8, width: 120, height: 80)
    let expected = try StillEncoder().encode(image, as: .png)
    let same = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<16 {
        group.addTask {
          let still = try StillDecoder().decode(.bytes(expected))
          return try StillEncoder().encode(still.image, as: .png) == expected
        }
      }
      return try await group.reduce(true) { $0 && $1 }
    }
    #expect(same)
  }
}
