import FrostglassCore
import FrostglassGL
import Glibc
import Testing

/// Picture memory that devices and processes share.
@Suite struct DMABufferTests {
  @Test func codesAreThoseOfDrivers() {
    #expect(DMAFormat.rgba8.code == 0x3432_4241)
    #expect(DMAFormat.bgrx8.code == 0x3432_5258)
    #expect(DMAFormat.gray8.code == 0x2020_3852)
    for format in DMAFormat.allCases { #expect(DMAFormat(code: format.code) == format) }
    #expect(DMAFormat(code: 0) == nil)
  }

  @Test func closesItsDescriptorsWhenItGoes() throws {
    let (first, second) = (try Pipe(), try Pipe())
    do {
      let buffer = DMABuffer(
        taking: [
          .init(descriptor: first.end, stride: 16),
          .init(descriptor: first.end, offset: 64, stride: 16),
          .init(descriptor: second.end, stride: 16),
        ], size: Size(width: 4, height: 4), format: .rgba8)
      #expect(!first.endIsClosed && !second.endIsClosed)
      #expect(buffer.planes.count == 3)
    }
    #expect(first.endIsClosed && second.endIsClosed)
  }

  @Test func tellsDriversItsPlanes() {
    let buffer = DMABuffer(
      taking: [
        .init(descriptor: -1, offset: 8, stride: 512), .init(descriptor: -1, offset: 9, stride: 3),
      ], size: Size(width: 100, height: 50), format: .bgra8, modifier: 0x0102_0304_0506_0708)
    #expect(
      buffer.attributes == [
        0x3057, 100, 0x3056, 50, 0x3271, 0x3432_5241,
        0x3272, -1, 0x3273, 8, 0x3274, 512, 0x3443, 0x0506_0708, 0x3444, 0x0102_0304,
        0x3275, -1, 0x3276, 9, 0x3277, 3, 0x3445, 0x0506_0708, 0x3446, 0x0102_0304,
      ])
    let plain = DMABuffer(
      taking: [.init(descriptor: -1, stride: 4)], size: Size(width: 1, height: 1), format: .gray8)
    #expect(plain.attributes.count == 12)
  }

  @Test func planesWithoutADescriptorHaveTheOneBefore() {
    let planes = DMABuffer.planes([7, -1, 9], [0, 64, 0], [16, 4, 16])
    #expect(planes.map(\.descriptor) == [7, 7, 9])
    #expect(planes.map(\.offset) == [0, 64, 0])
    #expect(planes.map(\.stride) == [16, 4, 16])
  }

  @Test func refusesWithTheNamesOfWhatIsMissing() async throws {
    let backend = try await GLBackend.start(GLOptions(restrictToES31Minimum: true))
    let pipe = try Pipe()
    let buffer = DMABuffer(
      taking: [.init(descriptor: pipe.end, stride: 16)], size: Size(width: 4, height: 4),
      format: .rgba8)
    await expectRefusal("GL_OES_EGL_image") { _ = try await backend.picture(sharing: buffer) }
    #expect(!pipe.endIsClosed)
    #expect(buffer.planes.count == 1)
    let picture = try await backend.upload(Image.noise(4, 4))
    await expectRefusal("GL_OES_EGL_image") { _ = try await backend.buffer(sharing: picture) }
    #expect(await backend.textureStatistics.lentBytes == picture.bytes)
  }

  @Test func refusesWhatTheDriverCannotShare() async throws {
    let backend = try await GLBackend.start()
    let deep = try await backend.upload(Image.noise(4, 4, PixelFormat(.rgba, .uint16)))
    await expectRefusal("8 bits") { _ = try await backend.buffer(sharing: deep) }
    // A pipe is no picture, whether the driver takes such memory or not.
    let pipe = try Pipe()
    let buffer = DMABuffer(
      taking: [.init(descriptor: pipe.end, stride: 16)], size: Size(width: 4, height: 4),
      format: .rgba8)
    await expectRefusal("shar") { _ = try await backend.picture(sharing: buffer) }
    #expect(!pipe.endIsClosed)
    #expect(buffer.planes.count == 1)
  }

  /// EGL is told numbers of 32 bits.
  @Test(arguments: [
    (1 << 31, 16, "an offset of 2147483648"), (0, 1 << 31, "a stride of 2147483648"),
    (-1, 16, "an offset of -1"),
  ])
  func refusesNumbersThatAreTooLarge(_ offset: Int, _ stride: Int, _ words: String) async throws {
    let backend = try await GLBackend.start()
    let buffer = DMABuffer(
      taking: [.init(descriptor: -1, offset: offset, stride: stride)],
      size: Size(width: 4, height: 4), format: .rgba8)
    await expectRefusal(words) { _ = try await backend.picture(sharing: buffer) }
    await expectRefusal("0 to 2147483647") { _ = try await backend.picture(sharing: buffer) }
    let huge = DMABuffer(
      taking: [.init(descriptor: -1, stride: 16)],
      size: Size(width: 1 << 40, height: 1 << 40), format: .rgba8)
    await expectRefusal("at most") { _ = try await backend.picture(sharing: huge) }
  }

  /// Devices that are restricted to the minimum refuse, as another test holds.
  @Test(
    .enabled("the driver gives no memory away") { try await Sharing.exports() },
    arguments: [Setup.fragment, .compute])
  func givesAndTakesMemory(_ setup: Setup) async throws {
    let backend = try await GLBackend.start(setup.options)
    let image = Image.noise(64, 48)
    let picture = try await backend.upload(image)
    let buffer = try await backend.buffer(sharing: picture)
    await backend.finish()
    let other = try await GLBackend.start(setup.options)
    let shared = try await other.picture(sharing: buffer)
    #expect(try await other.download(shared).bytes == image.bytes)
  }

  @Test(
    .enabled("the driver makes no images of textures") { try await Sharing.reflects() },
    arguments: [Setup.fragment, .compute])
  func plansReadTexturesOnSharedMemory(_ setup: Setup) async throws {
    let backend = try await GLBackend.start(setup.options)
    for format in [PixelFormat.rgba8, .rgb8, .gray8] {
      let image = Image.noise(61, 47, format)
      let picture = try await backend.upload(image)
      let before = await backend.textureStatistics.lentBytes
      let shared = try await backend.reflection(of: picture)
      #expect(await backend.textureStatistics.lentBytes == before)
      #expect(try await backend.download(shared).bytes == image.bytes, "\(format)")
      let copy = try await backend.copy(shared)
      #expect(try await backend.download(copy).bytes == image.bytes, "\(format)")
      let plan = try FilterChain([.gaussian(sigma: 3)]).plan(for: shared.input)
      let result = try await backend.execute(plan, [shared])
      let expected = try await backend.execute(plan, [image])
      #expect(try await backend.download(result).bytes == expected.bytes, "\(format)")
    }
    #expect(await backend.textureStatistics.lentBytes == 0)
  }
}

/// A descriptor to give away. Whether it was closed shows at the other end, as its number may be
/// another file's by then.
private final class Pipe {
  /// The end that is given away.
  let end: Int32
  private let other: Int32

  init() throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    (other, end) = (ends[0], ends[1])
  }

  deinit { close(other) }

  var endIsClosed: Bool {
    var byte: UInt8 = 0
    return read(other, &byte, 1) == 0
  }
}
