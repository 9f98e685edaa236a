import FrostglassCPU
import FrostglassCore
import Glibc
import TestSupport
import Testing

/// A result in the input's own memory has the bytes of one elsewhere.
@Suite struct InPlaceTests {
  static let chains = [
    "gaussian(1px)", "gaussian(6px)", "gaussian(25px)", "blur(9px) saturate(1.6)", "pixelate(7px)",
    "median(1)", "progressive-blur(9px)", "triple-box(5px)", "none",
  ]
  static let masks = [
    nil, Mask([.rectangle(x: 60, y: 50, width: 90, height: 60)]),
    Mask([.ellipse(x: 40, y: 30, width: 70, height: 90)], feather: 9),
    // Each reads what the other writes.
    Mask([
      .rectangle(x: 10, y: 20, width: 40, height: 30),
      .rectangle(x: 60, y: 30, width: 40, height: 30),
      .rectangle(x: 20, y: 130, width: 90, height: 20),
    ]),
    Mask([.ellipse(x: 40, y: 30, width: 70, height: 90)], isInverted: true, use: .confine),
  ]
  static let formats: [(PixelFormat, AlphaMode)] = [
    (.rgba8, .premultiplied), (.rgb8, .opaque), (.rgba8, .straight), (.gray8, .opaque),
    (PixelFormat(.rgba, .uint16), .premultiplied), (PixelFormat(.rgb, .float32), .opaque),
  ]

  @Test(arguments: chains)
  func resultsAreThoseElsewhere(chain: String) async throws {
    let backends = [
      FastBackend(threads: 1), FastBackend(threads: 2), FastBackend(threads: 3),
      FastBackend(threads: 2, instructions: .best, guardedWith: 0xAA),
    ]
    for (number, mask) in Self.masks.enumerated() {
      for (place, (format, alpha)) in Self.formats.enumerated() where (place + number) % 3 == 0 {
        let image = TestImages.noise(200, 160, format, alpha: alpha, seed: UInt64(place))
        let plan = try FilterChain(text: chain).plan(
          for: Plan.Input(image), options: PlanOptions(mask: mask))
        let expected = try await backends[1].execute(plan, [image])
        let words = "\(chain) \(format) \(alpha) \(mask.map { "\($0)" } ?? "everywhere")"
        for backend in backends {
          let memory = OwnMemory(image, gap: 24)
          _ = try backend.runNow(plan, memory.io)
          #expect(memory.pixels == expected.bytes, "\(words), \(backend.threads)")
          #expect(memory.changedGaps == 0)
          // Twice, as memory is kept.
          let prepared = try backend.prepareRows(plan)
          for _ in 0..<2 {
            let memory = OwnMemory(image, gap: 24)
            _ = try prepared.runNow(memory.io)
            #expect(memory.pixels == expected.bytes, "\(words), prepared, \(backend.threads)")
          }
        }
        let memory = OwnMemory(image, gap: 24)
        _ = try await ReferenceBackend().run(plan, memory.io)
        let reference = try await ReferenceBackend().execute(plan, [image])
        #expect(memory.pixels == reference.bytes, "\(words), reference")
      }
    }
  }

  /// Rows that are more than two pixels away from a region are in memory that cannot be written to.
  @Test(arguments: [1.0, 12])
  func nothingIsWrittenOutside(sigma: Double) throws {
    let image = TestImages.noise(4096, 160, .gray8)
    let region = 68..<97
    let mask = Mask([.rectangle(x: 100, y: 70, width: 3000, height: 25)])
    let plan = try FilterChain([.gaussian(sigma: Sigma(sigma))]).plan(
      for: Plan.Input(image), options: PlanOptions(mask: mask))
    let output = ImageOutput()
    let backend = FastBackend(threads: 2)
    _ = try backend.runNow(plan, PixelIO([.image(image)], to: [.image(output)]))
    let expected = try #require(output.take()).bytes
    let bytes = 4096 * 160
    let start = try #require(
      mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
    defer { munmap(start, bytes) }
    UnsafeMutableRawBufferPointer(start: start, count: bytes).copyBytes(from: image.bytes)
    try #require(mprotect(start, bytes, PROT_READ) == 0)
    try #require(
      mprotect(start + 4096 * region.lowerBound, 4096 * region.count, PROT_READ | PROT_WRITE) == 0)
    _ = try backend.runNow(
      plan,
      PixelIO(
        [.memory(PixelMemory(Plan.Input(image), bytes: .init(start: start, count: bytes)))],
        to: [
          .memory(MutablePixelMemory(bytes: .init(start: start, count: bytes), bytesPerRow: 4096))
        ]))
    #expect(Array(UnsafeRawBufferPointer(start: start, count: bytes)) == expected)
  }

  /// A run that was stopped before its end leaves an input that is written at the end as it was.
  @Test func anInputThatIsReadTwiceIsWrittenAtTheEnd() throws {
    let image = TestImages.noise(300, 200, .rgba8, alpha: .premultiplied)
    let plan = try FilterChain(text: "gaussian(2px)").plan(for: Plan.Input(image))
    let memory = OwnMemory(image, gap: 0)
    let cancellation = Cancellation()
    var io = memory.io
    io.cancellation = cancellation
    io.progress = { _ in cancellation.cancel() }
    let prepared = try FastBackend(threads: 1).prepareRows(plan)
    #expect(throws: BackendError.self) { try prepared.runNow(io) }
    #expect(memory.pixels == image.bytes)
  }
}

/// An image's pixels in memory that is an input and an output.
private final class OwnMemory {
  private let bytes: UnsafeMutableRawBufferPointer
  private let input: Plan.Input
  private let row: Int
  private let stride: Int

  init(_ image: Image, gap: Int) {
    input = Plan.Input(image)
    row = image.size.width * image.format.bytesPerPixel
    stride = row + gap
    bytes = .allocate(byteCount: stride * image.size.height, alignment: 64)
    bytes.initializeMemory(as: UInt8.self, repeating: 0xA5)
    image.withUnsafeBytes { source in
      for y in 0..<image.size.height {
        UnsafeMutableRawBufferPointer(rebasing: bytes[y * stride..<y * stride + row])
          .copyBytes(from: source[y * image.bytesPerRow..<y * image.bytesPerRow + row])
      }
    }
  }

  deinit { bytes.deallocate() }

  var io: PixelIO {
    PixelIO(
      [.memory(PixelMemory(input, bytes: UnsafeRawBufferPointer(bytes), bytesPerRow: stride))],
      to: [.memory(MutablePixelMemory(bytes: bytes, bytesPerRow: stride))])
  }

  var pixels: [UInt8] {
    (0..<input.size.height).flatMap { bytes[$0 * stride..<$0 * stride + row] }
  }

  var changedGaps: Int {
    (0..<input.size.height).reduce(0) { sum, y in
      sum + bytes[y * stride + row..<(y + 1) * stride].count { $0 != 0xA5 }
    }
  }
}
