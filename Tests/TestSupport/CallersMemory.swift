package import FrostglassCore
import Testing

/// Fails unless a backend reads an image in the caller's memory, and leaves the result in another one
/// there, with the bytes that it makes of an image of its own.
package func expectImagesInCallersMemory(_ backend: any Backend) async throws {
  let image = TestImages.noise(53, 91)
  let plan = try FilterChain(text: "blur(6px) saturate(1.5)").plan(for: Plan.Input(image))
  let expected = try await backend.execute(plan, [image])
  for gap in [0, 12] {
    let (from, to) = (CallersMemory(image, gap: gap), CallersMemory(expected, gap: gap))
    to.bytes.initializeMemory(as: UInt8.self, repeating: 0xA5)
    let source = try Image(
      PixelMemory(
        Plan.Input(image), bytes: UnsafeRawBufferPointer(from.bytes), bytesPerRow: from.stride)
    ) { _ = from }
    var result = try Image(
      Plan.Input(plan.result),
      in: MutablePixelMemory(bytes: to.bytes, bytesPerRow: to.stride)
    ) { _ = to }
    for _ in 0..<2 {
      try await backend.execute(plan, [source], into: &result)
      #expect(to.pixels == expected.bytes, "\(backend.name)")
      #expect(to.gaps.allSatisfy { $0 == 0xA5 })
      #expect(result.withUnsafeBytes { $0.baseAddress == UnsafeRawPointer(to.bytes.baseAddress) })
      // The next result has to be written anew.
      to.bytes.initializeMemory(as: UInt8.self, repeating: 0xA5)
    }
  }
}

/// Memory that is no image's own, with room between rows.
private final class CallersMemory: @unchecked Sendable {
  let bytes: UnsafeMutableRawBufferPointer
  let stride: Int
  private let length: Int
  private let height: Int

  /// - Parameter image: one without gaps.
  init(_ image: Image, gap: Int) {
    length = image.bytesPerRow
    stride = length + gap
    height = image.size.height
    bytes = .allocate(byteCount: stride * height, alignment: 1)
    for y in 0..<height {
      UnsafeMutableRawBufferPointer(rebasing: bytes[(y * stride)...])
        .copyBytes(from: image.bytes[y * length..<(y + 1) * length])
    }
  }

  deinit { bytes.deallocate() }

  var pixels: [UInt8] { (0..<height).flatMap { bytes[$0 * stride..<$0 * stride + length] } }
  var gaps: [UInt8] { (0..<height).flatMap { bytes[$0 * stride + length..<($0 + 1) * stride] } }
}
