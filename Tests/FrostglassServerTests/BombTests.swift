import FrostglassServer
import FrostglassStills
import TestSupport
import Testing

/// Small files that become very large, and files that are not what they begin as.
@Suite struct BombTests {
  @Test func tooManyPixelsAreRefusedFromTheHead() async throws {
    let server = try TestServer()
    for side in [30_000, 9_000] {
      let bomb = PNGBomb.file(width: side, height: side)
      #expect(bomb.count < 1_000_000)
      for operation in [
        "blur?sigma=2", "placeholder", "plan?sigma=2", "fill?aspect=1:1",
        "redact?region=0,0,9,9",
      ] {
        let reply = try await server.post("/v1/" + operation, bomb)
        #expect(reply.status == 413, "\(side) \(operation): \(reply.text)")
        #expect(reply.problem == "too-many-pixels")
      }
    }
  }

  /// Nothing is expanded that follows the rows. A few bytes too many are passed over, as libpng does.
  @Test(arguments: [false, true]) func dataEndWithTheRows(_ isInterlaced: Bool) async throws {
    let server = try TestServer()
    for (width, height) in [(100, 100), (100, 16), (7, 5), (300, 97)] {
      let exact = isInterlaced ? nil : height * (3 * width + 1)
      let bomb = PNGBomb.endless(
        width: width, height: height, zeros: 40_000_000, isInterlaced: isInterlaced)
      for target in ["blur?sigma=1", "placeholder", "fill?aspect=1:1"] {
        let reply = try await server.post("/v1/\(target)", bomb)
        #expect(reply.status == 422 && reply.problem == "damaged", "\(target): \(reply.text)")
        guard let exact else { continue }
        for zeros in [exact, exact + 1000] {
          let file = PNGBomb.endless(width: width, height: height, zeros: zeros)
          #expect(try await server.post("/v1/\(target)", file).status == 200, "\(target) \(zeros)")
        }
      }
    }
  }

  /// 207 bytes are the seven passes of 8 × 8 pixels.
  @Test func interlacedImagesWithTheirOwnDataAreRead() async throws {
    let server = try TestServer()
    for zeros in [207, 207 + 1000] {
      let file = PNGBomb.endless(width: 8, height: 8, zeros: zeros, isInterlaced: true)
      #expect(try await server.post("/v1/blur?sigma=1", file).status == 200, "\(zeros)")
    }
    // The largest sides that a header can have.
    let huge = PNGBomb.endless(
      width: 0xFFFF_FFFF, height: 0xFFFF_FFFF, zeros: 100, isInterlaced: true)
    #expect(try await server.post("/v1/blur?sigma=1", huge).status == 422)
  }

  @Test func aMaskIsNoWayAround() async throws {
    let server = try TestServer()
    let form = TestServer.form(
      files: [("picture", try Sample.file()), ("mask", PNGBomb.file(width: 9000, height: 9000))],
      fields: [("sigma", "2")])
    let reply = try await server.post("/v1/blur", form.body, [form.header])
    #expect(reply.status == 422)
    #expect(reply.text.contains("more than"))
  }

  /// Frames beyond the limit are not decoded, and more pixels than allowed in all are refused.
  @Test func framesAreCounted() async throws {
    let animation = try Self.animation(frames: 20)
    let one = try TestServer()
    let first = try await one.post("/v1/blur?sigma=1", animation)
    #expect(first.status == 200, "\(first.text)")
    #expect(first["x-frostglass-frames-left-out"] == "19")
    let all = try TestServer { $0.limits.maxFrames = 100 }
    let whole = try await all.post("/v1/blur?sigma=1", animation)
    #expect(whole["x-frostglass-frames-left-out"] == nil)
    #expect(whole.body.count > first.body.count)
    let few = try TestServer {
      $0.limits.maxFrames = 100
      $0.limits.maxPixels = 16 * 16 * 19
    }
    #expect(try await few.post("/v1/blur?sigma=1", animation).problem == "too-many-pixels")
  }

  /// A GIF of 16 × 16 pixels, each frame with a pixel of another color.
  static func animation(frames: Int) throws -> [UInt8] {
    let head: [UInt8] =
      Array("GIF89a".utf8) + [16, 0, 16, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
    // One clear code and one color at a time: codes of three bits, of which a clear one keeps the width.
    var codes: [UInt8] = []
    for index in 0..<256 { codes += [4, UInt8(index % 2)] }
    codes += [4, 5]
    var packed: [UInt8] = []
    var (bits, count) = (0, 0)
    for code in codes {
      bits |= Int(code) << count
      count += 3
      while count >= 8 {
        packed.append(UInt8(bits & 255))
        bits >>= 8
        count -= 8
      }
    }
    if count > 0 { packed.append(UInt8(bits & 255)) }
    let blocks = UInt8(packed.count)
    let frame: [UInt8] =
      [0x21, 0xF9, 4, 4, 10, 0, 0, 0, 0x2C, 0, 0, 0, 0, 16, 0, 16, 0, 0, 2, blocks] + packed + [0]
    return head + (0..<frames).flatMap { _ in frame } + [0x3B]
  }

  /// The missing pixels of a broken file do not show another request's image.
  @Test(arguments: [StillFormat.jpeg, .png, .webp, .gif, .avif, .jxl, .heic, .bmp])
  func aTruncatedImageShowsNoOther(_ format: StillFormat) async throws {
    let server = try TestServer()
    let whole = try StillEncoder(EncodeOptions()).encode(
      try Photographs.load("astronaut.jpg"), as: format)
    #expect(try await server.post("/v1/blur?sigma=1", whole).status == 200)
    for part in [2, 3, 10] {
      let broken = Array(whole[..<(whole.count * (part - 1) / part)])
      let reply = try await server.post("/v1/blur?sigma=1&format=png", broken)
      // Refused, or of its own pixels only: what was asked twice is the same twice.
      if reply.status == 200 {
        _ = try await server.post("/v1/blur?sigma=5", try Sample.photograph("rocket.jpg"))
        let again = try await server.post("/v1/blur?sigma=1&format=png", broken)
        #expect(again.body == reply.body, "\(format) \(part)")
      } else {
        #expect(reply.status == 422, "\(format) \(part): \(reply.text)")
      }
    }
  }
}
