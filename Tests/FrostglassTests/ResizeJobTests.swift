import Frostglass
import FrostglassCore
import FrostglassStills
import TestSupport
import Testing

/// Jobs whose images get another size: before filters, or after a redaction.
@Suite struct ResizeJobTests {
  private let pipeline = Pipeline(backend: .fast)

  private func result(_ job: Job, _ output: EncodedFile) async throws -> (Image, Report) {
    let report = try await pipeline.run(job)
    let bytes = try #require(output.bytes)
    return (try StillDecoder().decode(.bytes(bytes)).image, report)
  }

  private static func photo(_ format: StillFormat) throws -> [UInt8] {
    let image = TestImages.make(403, 301, .rgb8) { x, y, channel in
      Float((x * (channel + 2) + y * 3) % 256) / 255 * (x / 40 % 2 == y / 30 % 2 ? 1 : 0.4)
    }
    return try StillEncoder().encode(image, as: format)
  }

  @Test(
    arguments: [
      Resize(width: 100), Resize(width: 90, height: 90, fit: .cover, gravity: .attention),
      Resize(width: 90, height: 90, fit: .contain), Resize(width: 60, height: 120, fit: .fill),
      Resize(width: 500, enlarges: true),
    ], [StillFormat.png, .jpeg])
  func sigmaCountsInPixelsOfTheResult(_ resize: Resize, _ format: StillFormat) async throws {
    let file = try Self.photo(format)
    let decoding = DecodeOptions(resize: resize)
    let small = try StillDecoder(decoding).decode(.bytes(file)).image
    for sigma in [Sigma(4), Sigma(percent: 5)] {
      let output = EncodedFile()
      let (image, report) = try await result(
        Job(
          source: .bytes(file), recipe: Recipe([.gaussian(sigma: sigma)]), sink: .memory(output),
          format: .png, decoding: decoding), output)
      let expected = try await pipeline.blur(small, [.gaussian(sigma: sigma)])
      try expectClose(image, expected, within: 1, "\(resize.fit) \(format)")
      #expect(report.outputs[0].size == small.size)
      #expect(report.input.fileSize == Size(width: 403, height: 301))
    }
  }

  /// Two images that differ in a region alone become the same file, wherever the region lies between pixels of
  /// the result.
  @Test(
    arguments: [
      Resize(width: 37), Resize(width: 60, height: 60, fit: .cover, gravity: .attention),
      Resize(width: 600, enlarges: true),
    ])
  func nothingOfARegionIsLeftInASmallerImage(_ resize: Resize) async throws {
    let shape = MaskShape.rectangle(x: 101, y: 53, width: 87, height: 41)
    var files: [[UInt8]] = []
    for seed in [1, 2] {
      let (secret, around) = (
        TestImages.noise(403, 301, seed: UInt64(seed)), TestImages.noise(403, 301)
      )
      var image = around
      for y in 53..<94 {
        for x in 101..<188 {
          for channel in 0..<3 {
            image.setSample(
              secret.sample(x: x, y: y, channel: channel), x: x, y: y, channel: channel)
          }
        }
      }
      let output = EncodedFile()
      let mask = Mask([shape], grow: 0, redaction: Redaction(.surroundings))
      let (result, report) = try await result(
        Job(
          source: .bytes(try StillEncoder().encode(image, as: .png)),
          recipe: Recipe(Redaction.frost, options: PlanOptions(mask: mask)),
          sink: .memory(output), format: .png,
          encoding: EncodeOptions(strip: true, resize: resize)), output)
      #expect(result.size == resize.size(of: image.size))
      #expect(report.outputs[0].size == result.size)
      files.append(try #require(output.bytes))
    }
    #expect(files[0] == files[1])
  }

  /// Regions are those of the image as it was read.
  /// What an image says of places in it does not fit another size, and the report says so.
  @Test func placesThatAreLeftOutAreTold() async throws {
    let packet = Array(
      ("<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF "
        + "xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description rdf:about=''>"
        + "<mwg-rs:Regions xmlns:mwg-rs='http://www.metadataworkinggroup.com/schemas/regions/'/>"
        + "</rdf:Description></rdf:RDF></x:xmpmeta>").utf8)
    let file = try StillEncoder().encode(
      Image(zeros: Size(width: 40, height: 30), format: .rgb8),
      metadata: StillMetadata(xmp: packet), as: .jpeg)
    let small = Resize(width: 20)
    for (decoding, encoding, isTold) in [
      (DecodeOptions(), EncodeOptions(), false),
      (DecodeOptions(), EncodeOptions(resize: small), true),
      (DecodeOptions(resize: small), EncodeOptions(), true),
      (DecodeOptions(), EncodeOptions(strip: true, resize: small), false),
    ] {
      let report = try await pipeline.run(
        Job(
          source: .bytes(file), recipe: Recipe([]), sink: .memory(EncodedFile()), format: .jpeg,
          decoding: decoding, encoding: encoding))
      let told = report.outputs[0].metadataLeftOut
      #expect(told == (isTold ? ["XMP regions that do not follow another size"] : []), "\(told)")
    }
  }

  @Test func whatIsCoveredIsWhereItWas() async throws {
    let white = TestImages.make(400, 300, .rgb8) { _, _, _ in 1 }
    let output = EncodedFile()
    let mask = Mask(
      [.rectangle(x: 200, y: 100, width: 100, height: 60)], grow: 0,
      redaction: Redaction(.color, color: .black))
    let (image, _) = try await result(
      Job(
        source: .bytes(try StillEncoder().encode(white, as: .png)),
        recipe: Recipe([], options: PlanOptions(mask: mask)), sink: .memory(output), format: .png,
        encoding: EncodeOptions(resize: Resize(width: 100))), output)
    #expect(image.size == Size(width: 100, height: 75))
    for y in 0..<75 {
      for x in 0..<100 {
        let isInside = (51..<74).contains(x) && (26..<39).contains(y)
        let isOutside = !(47..<78).contains(x) || !(22..<43).contains(y)
        let value = image.sample(x: x, y: y, channel: 0)
        #expect(isInside ? value < 0.1 : isOutside ? value > 0.9 : true, "\(value) at \(x), \(y)")
      }
    }
  }

  @Test(arguments: [true, false], [StillFormat.gif, .webp, .apng])
  func animationsStayAnimations(_ isBefore: Bool, _ format: StillFormat) async throws {
    let frames = (0..<3).map { frame in
      PalettedGIF.Frame(width: 40, [UInt8](repeating: UInt8(frame), count: 800))
    }
    let video = PalettedGIF(width: 40, height: 20, colors: PalettedGIF.manyColors, frames).bytes
    let resize = Resize(width: 10, height: 10, fit: .cover)
    let output = EncodedFile()
    let report = try await pipeline.run(
      Job(
        source: .bytes(video), recipe: Recipe([.gaussian(sigma: 1)]), sink: .memory(output),
        format: format, decoding: DecodeOptions(resize: isBefore ? resize : nil),
        encoding: EncodeOptions(lossless: true, resize: isBefore ? nil : resize)))
    #expect(report.outputs[0].frames == 3)
    let made = StillSource.bytes(try #require(output.bytes))
    let header = try StillDecoder().header(of: made)
    #expect(header.frames == 3 && header.size == Size(width: 10, height: 10))
  }

  @Test func aResultThatIsTooLargeIsRefused() async throws {
    let file = try Self.photo(.png)
    let large = Resize(width: 4000, enlarges: true)
    for (decoding, encoding) in [
      (DecodeOptions(maxPixels: 1_000_000, resize: large), EncodeOptions()),
      (DecodeOptions(maxPixels: 1_000_000), EncodeOptions(resize: large)),
    ] {
      let job = Job(
        source: .bytes(file), recipe: Recipe([]), sink: .memory(EncodedFile()), format: .png,
        decoding: decoding, encoding: encoding)
      let error = await #expect(throws: FrostglassError.self) { try await pipeline.run(job) }
      guard case .decode(.tooManyPixels(_, let size, 1_000_000)) = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(size.width == 4000)
      #expect(throws: FrostglassError.self) { try pipeline.check(job) }
    }
  }
}
