import FrostglassCore
import FrostglassStills
import TestSupport
import Testing

/// Animated PNG: frames put together on a canvas as they say, from files made by hand.
@Suite struct AnimatedPNGTests {
  /// A frame of one color.
  private struct Frame {
    var x = 0
    var width = 4
    var color: [UInt8] = [255, 0, 0, 255]
    /// Disposal and blending, as the file has them.
    var disposal: UInt8 = 0
    var blend: UInt8 = 0
    var delay: [UInt8] = [0, 5, 0, 10]
  }

  private static func control(_ number: Int, _ frame: Frame) -> [UInt8] {
    let sides = [number, frame.width, 1, frame.x, 0].flatMap(PNGFile.bigEndian32)
    return PNGFile.chunk("fcTL", sides + frame.delay + [frame.disposal, frame.blend])
  }

  /// The data of a row of pixels.
  private static func data(_ frame: Frame) throws -> [UInt8] {
    let size = Size(width: frame.width, height: 1)
    let row = try Image(
      size: size, format: .rgba8, alpha: .straight,
      bytes: (0..<frame.width).flatMap { _ in frame.color })
    let file = try StillEncoder().encode(row, as: .png)
    return Array(file[try #require(PNGFile.find("IDAT", in: file))])
  }

  /// A file of 4×1 pixels.
  ///
  /// - Parameters:
  ///   - announced: how many frames it says it has, as many as there are unless told.
  ///   - hidden: true if the still, which is white, is not a frame.
  private static func video(
    _ frames: [Frame], announced: Int? = nil, hidden: Bool = false
  ) throws -> [UInt8] {
    let count = announced ?? frames.count
    var file = PNGFile.signature
    file += PNGFile.chunk("IHDR", [0, 0, 0, 4, 0, 0, 0, 1, 8, 6, 0, 0, 0])
    file += PNGFile.chunk("acTL", PNGFile.bigEndian32(count) + PNGFile.bigEndian32(2))
    if hidden { file += PNGFile.chunk("IDAT", try data(Frame(color: [255, 255, 255, 255]))) }
    var number = 0
    for (index, frame) in frames.enumerated() {
      file += control(number, frame)
      number += 1
      if index == 0, !hidden {
        file += PNGFile.chunk("IDAT", try data(frame))
        continue
      }
      // In two parts, as large ones are.
      let data = try data(frame)
      for part in [data.prefix(7), data.dropFirst(7)] {
        file += PNGFile.chunk("fdAT", PNGFile.bigEndian32(number) + part)
        number += 1
      }
    }
    return file + PNGFile.chunk("IEND", [])
  }

  /// The pixels of all frames, one row each.
  private static func rows(_ file: [UInt8]) throws -> [[[UInt8]]] {
    let decoder = StillDecoder()
    let reader = try decoder.allFrames(of: decoder.reader(of: .bytes(file)))
    #expect(reader.header.format == .apng)
    return try (0..<reader.header.frames).map { index in
      let frame = try reader.frame(index)
      let count = frame.format.layout.channels
      return (0..<4).map { Array(frame.bytes[$0 * count..<($0 + 1) * count]) }
    }
  }

  private static let green: [UInt8] = [0, 255, 0, 128]
  private static let red: [UInt8] = [255, 0, 0, 255]
  private static let blue: [UInt8] = [0, 0, 255, 255]

  @Test(arguments: [UInt8(0), 1, 2], [UInt8(0), 1])
  func everyDisposalAndBlendingDoesWhatItSays(disposal: UInt8, blend: UInt8) throws {
    let file = try Self.video([
      Frame(), Frame(x: 1, width: 2, color: Self.green, disposal: disposal, blend: blend),
      Frame(x: 0, width: 1, color: Self.blue),
    ])
    let rows = try Self.rows(file)
    #expect(rows[0] == [Self.red, Self.red, Self.red, Self.red])
    // Half green over red, or in its place.
    let second: [UInt8] = blend == 0 ? Self.green : [127, 128, 0, 255]
    #expect(rows[1] == [Self.red, second, second, Self.red])
    let third = disposal == 0 ? second : disposal == 1 ? [0, 0, 0, 0] : Self.red
    #expect(rows[2] == [Self.blue, third, third, Self.red])
  }

  @Test func afterTheFirstFrameThereIsNothingToComeBackTo() throws {
    let rows = try Self.rows(
      Self.video([
        Frame(disposal: 2), Frame(x: 1, width: 1, color: Self.green, blend: 1),
        Frame(x: 2, width: 1, color: [9, 9, 9, 0], blend: 1),
      ]))
    // Over nothing, a color stays as it is; what is clear changes nothing.
    #expect(rows[1] == [[0, 0, 0, 0], Self.green, [0, 0, 0, 0], [0, 0, 0, 0]])
    #expect(rows[2][1] == Self.green)
  }

  @Test func aStillThatIsNoFrameIsNotShown() throws {
    let file = try Self.video([Frame(x: 1, width: 2, color: Self.blue)], hidden: true)
    #expect(try Self.rows(file) == [[[0, 0, 0, 0], Self.blue, Self.blue, [0, 0, 0, 0]]])
    #expect(try StillDecoder().decode(.bytes(file)).image.bytes[4..<8].elementsEqual(Self.blue))
  }

  @Test func delaysAreFractionsAndOfNothingHundredths() throws {
    let file = try Self.video([
      Frame(delay: [0, 1, 0, 8]), Frame(delay: [0, 7, 0, 0]), Frame(delay: [1, 0, 3, 0xE8]),
    ])
    let decoder = StillDecoder()
    let reader = try decoder.allFrames(of: decoder.reader(of: .bytes(file)))
    #expect(
      reader.metadata.animation == StillMetadata.Animation(delays: [125, 70, 256], loop: 2))
    for (number, color) in [(1, Self.red), (3, Self.red)] {
      let one = try StillDecoder(DecodeOptions(frame: number)).decode(.bytes(file))
      #expect(one.image.bytes.prefix(4).elementsEqual(color) && one.metadata.animation == nil)
    }
  }

  @Test func whatIsCutOffOrChangedIsDamaged() throws {
    let good = try Self.video([Frame(), Frame(x: 1, width: 2, color: Self.green)])
    // Without its end, and within its last frame.
    for count in [good.count - 12, good.count - 30] {
      let error = #expect(throws: DecodeError.self) {
        try StillDecoder().header(of: .bytes(Array(good.prefix(count))))
      }
      guard case .damaged = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
    let data = try #require(PNGFile.find("fdAT", in: good))
    var broken = good
    broken[data.lowerBound + 6] ^= 1
    #expect(throws: DecodeError.self) { try Self.rows(broken) }
  }

  /// Frames were held against the first; the canvas is that, too.
  @Test(arguments: [[1, 1], [9000, 9000], [Int(Int32.max), Int(Int32.max)]])
  func aSecondHeaderChangesNothing(_ sides: [Int]) throws {
    let good = try Self.video([Frame(), Frame(x: 1, width: 2, color: Self.blue)])
    let header = sides.flatMap(PNGFile.bigEndian32) + [8, 6, 0, 0, 0]
    let file =
      good.prefix(good.count - 12) + PNGFile.chunk("IHDR", header) + PNGFile.chunk("IEND", [])
    #expect(try Self.rows(Array(file)) == Self.rows(good))
  }

  /// Browsers show the still then.
  @Test func anAnnouncementThatMakesNoSenseLeavesAStill() throws {
    let beyond = try Self.video([Frame(), Frame(x: 3, width: 2)])
    let files = try [
      Self.video([Frame(), Frame()], announced: 3), Self.video([Frame(x: 0, width: 3), Frame()]),
      Self.video([Frame(), Frame(disposal: 3)]), Self.video([Frame(), Frame(blend: 2)]), beyond,
      Self.video([Frame(), Frame(x: -1, width: 1)]),
    ]
    for file in files {
      let still = try StillDecoder().header(of: .bytes(file))
      #expect(still.format == .png && still.frames == 1 && still.unreadFrames > 0)
    }
  }

  @Test func moreFramesThanAreAnnouncedAreRead() throws {
    let frames = [Frame(), Frame(color: [0, 0, 255, 255]), Frame(color: [0, 255, 0, 255])]
    let all = try Self.rows(Self.video(frames))
    #expect(try Self.rows(Self.video(frames, announced: 1)) == all)
  }

  /// A canvas of many pixels under frames of one: all frames count.
  @Test func framesOfALargeCanvasAreRefusedBeforeTheyAreMade() throws {
    var file = PNGFile.signature + PNGFile.header(width: 2000, height: 2000)
    file += PNGFile.chunk("acTL", PNGFile.bigEndian32(200) + PNGFile.bigEndian32(0))
    file += PNGFile.chunk("IDAT", [UInt8](repeating: 0, count: 20000))
    let data = try Self.data(Frame(width: 1))
    for index in 0..<200 {
      let number = PNGFile.bigEndian32(2 * index)
      file += PNGFile.chunk(
        "fcTL", number + [1, 1, 0, 0].flatMap(PNGFile.bigEndian32) + [0, 1, 0, 10, 0, 0])
      file += PNGFile.chunk("fdAT", PNGFile.bigEndian32(2 * index + 1) + data)
    }
    file += PNGFile.chunk("IEND", [])
    let decoder = StillDecoder()
    let reader = try decoder.reader(of: .bytes(file))
    #expect(reader.header.frames == 200)
    let error = #expect(throws: DecodeError.self) { try decoder.allFrames(of: reader) }
    guard case .tooManyPixels(_, Size(width: 2000, height: 400_000), _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func whatDoesNotChangeIsNotWrittenAgain() throws {
    var picture = Image(zeros: Size(width: 40, height: 60), format: PixelFormat(.rgba, .uint16))
    for channel in 0..<4 { picture.setSample(0.7, x: 9, y: 20 + 3, channel: channel) }
    for channel in 0..<4 { picture.setSample(0.7, x: 9, y: 40 + 3, channel: channel) }
    let animation = StillMetadata.Animation(delays: [20, 70_000, 30], loop: 1)
    let file = try StillEncoder().encode(
      picture, metadata: StillMetadata(animation: animation), as: .apng)
    let controls = PNGFile.chunks(file).filter { $0.name == "fcTL" }.map {
      Array($0.data.dropFirst(4).prefix(16))
    }
    let places = [[40, 20, 0, 0], [1, 1, 9, 3], [1, 1, 0, 0]]
    #expect(controls == places.map { $0.flatMap(PNGFile.bigEndian32) })
    let decoder = StillDecoder()
    let reader = try decoder.allFrames(of: decoder.reader(of: .bytes(file)))
    #expect(reader.metadata.animation == animation)
    for index in 0..<3 {
      let frame = try reader.frame(index)
      #expect(frame.format == picture.format)
      #expect(abs(frame.sample(x: 9, y: 3, channel: 2) - (index == 0 ? 0 : 0.7)) < 1e-4)
    }
  }
}
