import FrostglassCore
import FrostglassServer
import FrostglassStills
import TestSupport
import Testing

/// Answers show nothing but the image that was asked for: nothing of what its file says beside the
/// pixels, and nothing of other requests.
@Suite struct LeakTests {
  private func found(in bytes: [UInt8]) -> [String] {
    RevealingImage.secrets.filter { secret in
      let mark = Array(secret.utf8)
      // As they are, and as PNG writes what is not text.
      let digits = mark.flatMap { byte in
        let text = String(byte, radix: 16)
        return Array((text.count < 2 ? "0" + text : text).utf8)
      }
      return bytes.holds(mark) || bytes.holds(digits)
    }
  }

  /// A test of what the others look for.
  @Test func theImageSaysAllOfIt() throws {
    let file = try RevealingImage.file()
    #expect(found(in: file) == RevealingImage.secrets)
    let metadata = try Sample.decoded(file).metadata
    #expect(metadata.exif.map { found(in: $0).contains("GPS-SECRET") } == true)
    #expect(metadata.iptc.map { found(in: $0) } == ["IPTC-SECRET"])
  }

  @Test(arguments: StillFormat.allCases.map(\.fileExtension))
  func placesThumbnailsAndMakerNotesAreStripped(_ format: String) async throws {
    let server = try TestServer()
    let picture = try RevealingImage.file()
    for target in ["blur?sigma=2", "redact?region=0,0,4,4", "fill?aspect=1:1"] {
      let reply = try await server.post("/v1/\(target)&format=\(format)", picture)
      #expect(reply.status == 200, "\(reply.text)")
      #expect(found(in: reply.body).isEmpty, "\(target): \(found(in: reply.body))")
      let metadata = try Sample.decoded(reply.body).metadata
      #expect(metadata.xmp == nil && metadata.iptc == nil, "\(target)")
      // libvips writes the resolution of a WebP there.
      #expect(metadata.exif == nil || format == "webp", "\(target)")
    }
    for target in ["placeholder", "plan?sigma=2"] {
      #expect(found(in: try await server.post("/v1/\(target)", picture).body).isEmpty)
    }
  }

  @Test func imagesOfTheOperatorsAreStrippedToo() async throws {
    let folder = try Folder()
    try folder.write("a.jpg", try RevealingImage.file())
    let server = try TestServer { $0.pictures = folder.path }
    let reply = try await server.get("/v1/pictures/a.jpg?sigma=2")
    #expect(reply.status == 200)
    #expect(found(in: reply.body).isEmpty)
  }

  /// Requested metadata is kept, except thumbnails of the original image and data that only a camera's maker can
  /// read.
  @Test func keptMetadataHasNoSmallImages() async throws {
    let server = try TestServer()
    let reply = try await server.post(
      "/v1/redact?region=0,0,4,4&keep-metadata", try RevealingImage.file())
    #expect(reply.status == 200)
    #expect(
      found(in: reply.body) == ["EXIF-SECRET", "GPS-SECRET", "IPTC-SECRET", "COMMENT-SECRET"])
  }

  /// A worker that has just had a stranger's image gets half a file: what is missing is not filled
  /// with the other one.
  @Test(arguments: [StillFormat.jpeg, .png, .webp, .gif, .tiff, .avif, .heic, .jxl, .bmp, .ppm])
  func aTruncatedImageShowsNoOtherRequests(_ format: StillFormat) async throws {
    let pool = try CheckedPool()
    let server = try TestServer(worker: pool.pool, jobs: 1)
    let size = Size(width: 200, height: 160)
    func file(_ color: [UInt8], as format: StillFormat) throws -> [UInt8] {
      var image = Image(zeros: size, format: .rgb8)
      // Not quite plain, so that files are long enough to be cut.
      for index in image.bytes.indices {
        image.bytes[index] =
          color[index % 3] ^ UInt8(truncatingIfNeeded: index &* 40_503 >> 13 & 15)
      }
      return try StillEncoder().encode(image, as: format)
    }
    let stranger = try file([250, 0, 250], as: format)
    let own = try file([0, 250, 0], as: format)
    for part in [0.3, 0.5, 0.7, 0.9, 0.97] {
      for _ in 0..<2 {
        #expect(try await server.post("/v1/blur?sigma=1", stranger).status == 200)
      }
      let cut = Array(own.prefix(Int(Double(own.count) * part)))
      let reply = try await server.post("/v1/blur?sigma=1&format=png", cut)
      guard reply.status == 200 else {
        #expect([415, 422].contains(reply.status), "\(part): \(reply.text)")
        continue
      }
      let image = try Sample.decoded(reply.body).image
      let channels = image.format.bytesPerPixel
      let isStrange = stride(from: 0, to: image.bytes.count - 2, by: channels).contains { index in
        image.bytes[index] > 128 && image.bytes[index + 1] < 96 && image.bytes[index + 2] > 128
      }
      #expect(!isStrange, "\(part) of a \(format.rawValue)")
    }
  }
}
