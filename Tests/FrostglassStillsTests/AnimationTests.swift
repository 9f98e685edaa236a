import FrostglassCore
import FrostglassStills
import Testing

/// Animated GIF and WebP, frame by frame.
@Suite struct AnimationTests {
  /// Three frames of 40×20 in one color each, one below the other, with their delays.
  static func video(
    _ format: StillFormat, loop: Int = 3, exif: [UInt8]? = nil
  ) throws -> [UInt8] {
    let colors: [[Float]] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    var picture = Image(zeros: Size(width: 40, height: 60), format: .rgb8)
    for y in 0..<60 {
      for x in 0..<40 {
        for channel in 0..<3 {
          picture.setSample(colors[y / 20][channel], x: x, y: y, channel: channel)
        }
      }
    }
    let animation = StillMetadata.Animation(delays: [50, 120, 200], loop: loop)
    return try StillEncoder(EncodeOptions(quality: 100)).encode(
      picture, metadata: StillMetadata(exif: exif, animation: animation), as: format)
  }

  @Test(arguments: [StillFormat.gif, .webp, .apng]) func framesDelaysAndLoopComeBack(
    format: StillFormat
  ) throws {
    let decoder = StillDecoder()
    let first = try decoder.reader(of: .bytes(Self.video(format)))
    #expect(first.header.frames == 3)
    #expect(first.header.size == Size(width: 40, height: 20))
    #expect(first.metadata.animation == nil)
    let reader = try decoder.allFrames(of: first)
    #expect(reader.header.size == Size(width: 40, height: 20))
    #expect(reader.metadata.animation == StillMetadata.Animation(delays: [50, 120, 200], loop: 3))
    for index in 0..<3 {
      let frame = try reader.frame(index)
      #expect(frame.size == Size(width: 40, height: 20))
      for channel in 0..<3 {
        let expected: Float = channel == index ? 1 : 0
        #expect(abs(frame.sample(x: 20, y: 10, channel: channel) - expected) < 0.1, "\(index)")
      }
    }
  }

  /// libvips writes 100 ms for 10 and less; frames that are alike become one.
  @Test(arguments: [
    ([1, 10, 65535], [true, true, true], [1, 10, 65535]),
    ([0, 11, 3], [true, true, true], [0, 11, 3]), ([5, 7, 9], [true, false, true], [12, 9]),
  ])
  func shortDelaysOfAWebPStayAsTheyAre(
    _ delays: [Int], _ isNew: [Bool], _ expected: [Int]
  ) throws {
    var picture = Image(zeros: Size(width: 16, height: 48), format: .rgb8)
    var level: Float = 0
    for (index, isNew) in isNew.enumerated() {
      if isNew { level = Float(index + 1) / 4 }
      for y in 16 * index..<16 * index + 16 {
        for x in 0..<16 { picture.setSample(level, x: x, y: y, channel: index % 3) }
      }
      if !isNew {
        let row = picture.bytesPerRow * 16
        picture.bytes.replaceSubrange(
          row * index..<row * (index + 1), with: picture.bytes[row * (index - 1)..<row * index])
      }
    }
    let file = try StillEncoder(EncodeOptions(lossless: true)).encode(
      picture, metadata: StillMetadata(animation: .init(delays: delays)), as: .webp)
    let decoder = StillDecoder()
    let reader = try decoder.allFrames(of: decoder.reader(of: .bytes(file)))
    #expect(reader.metadata.animation?.delays == expected)
  }

  /// Metadata gives the size of one frame, not of all frames below each other.
  @Test(arguments: [StillFormat.webp, .apng]) func theEXIFOfAnAnimationIsThatOfAFrame(
    format: StillFormat
  ) throws {
    let decoder = StillDecoder()
    let photo = try decoder.decode(.bytes(MetadataTests.photo()))
    let saved = try Self.video(format, exif: photo.metadata.exif)
    let exif = try #require(try decoder.reader(of: .bytes(saved)).metadata.exif)
    let numbers = CameraExif.read(Array(exif.dropFirst(6))).numbers
    #expect(numbers[0xA002] == 40 && numbers[0xA003] == 20)
  }

  @Test(arguments: [StillFormat.gif, .webp, .apng], 1...3) func oneFrameCanBeAskedFor(
    format: StillFormat, frame: Int
  ) throws {
    let decoder = StillDecoder(DecodeOptions(frame: frame))
    let still = try decoder.decode(.bytes(Self.video(format)))
    #expect(still.image.size == Size(width: 40, height: 20))
    #expect(still.image.sample(x: 5, y: 5, channel: frame - 1) > 0.9)
    #expect(still.image.sample(x: 5, y: 5, channel: frame % 3) < 0.1)
  }

  @Test func aFrameThatIsNotThereIsAnError() throws {
    let video = try Self.video(.gif)
    #expect(throws: DecodeError.noSuchFrame(name: "the given bytes", frame: 4, count: 3)) {
      try StillDecoder(DecodeOptions(frame: 4)).header(of: .bytes(video))
    }
    let still = try StillEncoder().encode(TestImage.ramp(.rgb8), as: .png)
    #expect(throws: DecodeError.noSuchFrame(name: "the given bytes", frame: 2, count: 1)) {
      try StillDecoder(DecodeOptions(frame: 2)).decode(.bytes(still))
    }
    #expect(try StillDecoder(DecodeOptions(frame: 1)).header(of: .bytes(still)).frames == 1)
  }

  @Test func theLimitCountsThePixelsOfAllFramesThatAreRead() throws {
    let video = try Self.video(.gif)
    let decoder = StillDecoder(DecodeOptions(maxPixels: 800))
    let reader = try decoder.reader(of: .bytes(video))
    #expect(throws: DecodeError.self) { try decoder.allFrames(of: reader) }
    let larger = StillDecoder(DecodeOptions(maxPixels: 2400))
    #expect(try larger.allFrames(of: larger.reader(of: .bytes(video))).header.frames == 3)
  }

  @Test func strippingKeepsTheAnimation() throws {
    let animation = StillMetadata.Animation(delays: [70, 80])
    let image = TestImage.ramp(.rgb8, width: 8, height: 8)
    let bytes = try StillEncoder(EncodeOptions(strip: true)).encode(
      image, metadata: StillMetadata(animation: animation), as: .gif)
    let decoder = StillDecoder()
    let reader = try decoder.allFrames(of: decoder.reader(of: .bytes(bytes)))
    #expect(reader.metadata.animation == animation)
    #expect(reader.header.size == Size(width: 8, height: 4))
  }
}
