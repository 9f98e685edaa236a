import FrostglassCore
import FrostglassStills
import TestSupport
import Testing

/// Transparency of GIFs, and the colors that stay when one is written again.
@Suite struct GIFColorsTests {
  private func frames(_ file: [UInt8]) throws -> [Image] {
    let decoder = StillDecoder()
    let reader = try decoder.reader(of: .bytes(file))
    guard reader.header.frames > 1 else { return [try reader.image()] }
    let all = try decoder.allFrames(of: reader)
    return try (0..<all.header.frames).map { try all.frame($0) }
  }

  /// Without gaps between rows.
  private func samples(_ image: Image) -> [UInt8] {
    (0..<image.size.height).flatMap { y -> ArraySlice<UInt8> in
      let start = y * image.bytesPerRow
      return image.bytes[start..<start + image.size.width * image.format.bytesPerPixel]
    }
  }

  private func alpha(_ image: Image, _ x: Int) -> Float {
    image.format.layout.hasAlpha ? image.sample(x: x, y: 0, channel: 3) : 1
  }

  /// Two frames on a canvas of 4×2: red at its left half, blue in its middle.
  private func video(_ disposal: Int, transparent: UInt8? = nil) -> PalettedGIF {
    PalettedGIF(
      width: 4, height: 2, colors: [[255, 0, 0], [0, 0, 255], [9, 9, 9]],
      [
        .init(width: 2, [0, 0, 0, 0], disposal: disposal, transparent: transparent),
        .init(x: 1, width: 2, [1, 1, 1, 1]),
      ])
  }

  @Test(arguments: [2, 3], [nil, UInt8(2)])
  func clearedPartsOfAGIFAreTransparent(disposal: Int, transparent: UInt8?) throws {
    let found = try frames(video(disposal, transparent: transparent).bytes)
    #expect(
      found.map { image in (0..<4).map { alpha(image, $0) } } == [[1, 1, 0, 0], [0, 1, 1, 0]])
    #expect(found[0].sample(x: 0, y: 0, channel: 0) == 1)
    #expect(found[1].sample(x: 1, y: 1, channel: 2) == 1)
  }

  @Test func partsOfAGIFThatNoFrameCoversAreTransparent() throws {
    var video = video(1)
    video.frames.removeLast()
    let image = try frames(video.bytes)[0]
    #expect((0..<4).map { alpha(image, $0) } == [1, 1, 0, 0])
  }

  /// A frame may reach beyond the canvas; all 256 colors may be in use.
  @Test func aClearedFrameMayReachOutAndHaveAllColors() throws {
    let all = (0..<256).map { UInt8($0) }
    let video = PalettedGIF(
      width: 16, height: 16, colors: PalettedGIF.manyColors,
      [
        .init(width: 16, all, disposal: 2),
        .init(x: 15, y: 0, width: 2, [1, 2, 3, 4]),
      ])
    let found = try frames(video.bytes)
    #expect(found.count == 2 && alpha(found[0], 15) == 1)
    #expect(alpha(found[1], 0) == 0 && alpha(found[1], 15) == 1)
    #expect(found[1].sample(x: 15, y: 1, channel: 0) == Float(3) / 255)
  }

  @Test func oneFrameOfAClearedGIFCanBeAskedFor() throws {
    let still = try StillDecoder(DecodeOptions(frame: 2)).decode(.bytes(video(2).bytes)).image
    #expect((0..<4).map { alpha(still, $0) } == [0, 1, 1, 0])
  }

  /// libvips has 255 colors of an image at most, and of some of the lowest efforts 7 bits of each.
  @Test(arguments: [1, 3], [nil, 0, 9] as [Int?])
  func keptColorsStayAsTheyAre(count: Int, effort: Int?) throws {
    let frames = (0..<count).map { shift in
      PalettedGIF.Frame(width: 16, (0..<256).map { UInt8(($0 + 5 * shift) & 255) })
    }
    let file = PalettedGIF(width: 16, height: 16, colors: PalettedGIF.manyColors, frames).bytes
    let decoder = StillDecoder()
    let first = try decoder.reader(of: .bytes(file))
    var options = EncodeOptions(effort: effort)
    options.keptColors = first.keptColors(frames: count)
    let before = try self.frames(file)
    let stacked = try Image(
      size: Size(width: 16, height: 16 * count), format: before[0].format, alpha: before[0].alpha,
      bytes: before.flatMap(samples))
    let animation = count > 1 ? StillMetadata.Animation(delays: [50, 70, 90], loop: 4) : nil
    let written = try StillEncoder(options).encode(
      stacked, metadata: StillMetadata(animation: animation), as: .gif)
    #expect(try self.frames(written).map(samples) == before.map(samples))
    #expect(options.keptColors?.areLost == false)
    guard count > 1 else { return }
    let again = try decoder.allFrames(of: decoder.reader(of: .bytes(written)))
    #expect(again.metadata.animation == animation)
  }

  /// A frame on another one has colors of both tables.
  @Test func colorsThatHaveNoRoomAreTold() throws {
    let colors = KeptColorsSample.image(colors: 300)
    let (kept, written) = try KeptColorsSample.written(colors, keeping: 300)
    #expect(kept.areLost)
    #expect(try frames(written)[0].size == colors.size)
    let (fewer, _) = try KeptColorsSample.written(colors, keeping: 200)
    #expect(!fewer.areLost)
  }

  /// Kept pixels are not dithered, whatever lies next to them.
  @Test func pixelsBesideOthersStayAsTheyAre() throws {
    let image = KeptColorsSample.image(colors: 900)
    let (_, written) = try KeptColorsSample.written(image, keeping: 250)
    let found = try frames(written)[0]
    for index in 0..<250 {
      let (x, y) = (index % 30, index / 30)
      for channel in 0..<3 {
        #expect(
          found.sample(x: x, y: y, channel: channel) == image.sample(x: x, y: y, channel: channel))
      }
    }
  }
}

/// Images with one color per pixel.
private enum KeptColorsSample {
  static func color(_ index: Int) -> [UInt8] {
    [UInt8(index & 255), UInt8(index * 37 & 255), UInt8(index / 4 & 255)]
  }

  static func image(colors: Int) -> Image {
    var image = Image(zeros: Size(width: 30, height: colors / 30), format: .rgb8)
    for index in 0..<colors {
      for (channel, value) in color(index).enumerated() {
        image.setSample(Float(value) / 255, x: index % 30, y: index / 30, channel: channel)
      }
    }
    return image
  }

  static func written(_ image: Image, keeping count: Int) throws -> (KeptColors, [UInt8]) {
    // Tables of 256 colors each.
    let all = (0..<count).map { color($0) }
    let tables = stride(from: 0, to: count, by: 256).map { Array(all[$0..<min($0 + 256, count)]) }
    let kept = KeptColors(
      tables.map { $0.map { UInt32($0[0]) << 16 | UInt32($0[1]) << 8 | UInt32($0[2]) } },
      first: tables.count - 1, count: 1)
    var options = EncodeOptions()
    options.keptColors = kept
    return (kept, try StillEncoder(options).encode(image, as: .gif))
  }
}
