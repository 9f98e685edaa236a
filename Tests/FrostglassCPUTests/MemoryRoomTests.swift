import FrostglassCPU
import FrostglassCore
import Testing

/// An image that no machine has memory for is refused, with its size.
@Suite struct MemoryRoomTests {
  /// More than there are addresses for.
  private static let size = Size(width: 1 << 24, height: 1 << 24)

  /// Rows that nobody gets to read.
  private struct NoRows: RowSource {
    func read(_ rows: Range<Int>, into target: UnsafeMutableRawPointer) throws {
      Issue.record("rows \(rows) are read")
    }
  }

  @Test(arguments: ["fast", "reference"]) func hugeResultsAreRefused(_ name: String) async throws {
    let backend: any Backend = name == "fast" ? FastBackend(threads: 1) : ReferenceBackend()
    let input = Plan.Input(size: Self.size, format: .rgba8, alpha: .straight, transfer: .encoded)
    let plan = try FilterChain(text: "grayscale()").plan(for: input)
    let error = await #expect(throws: BackendError.self) {
      _ = try await backend.run(plan, PixelIO([.rows(NoRows())], to: [.image(ImageOutput())]))
    }
    let words = try #require(error).description
    #expect(words.contains("there is no memory for"), "\(words)")
    #expect(words.contains("\(Self.size) pixels") && words.contains("1024 TiB"), "\(words)")
  }

  @Test func whatThereIsMemoryForIsNot() throws {
    try MemoryRoom.check(1 << 27, "an image")
    #expect(throws: BackendError.self) { try MemoryRoom.check(.max, "an image") }
  }
}
