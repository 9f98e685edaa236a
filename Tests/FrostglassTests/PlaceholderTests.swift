import Frostglass
import FrostglassStills
import TestSupport
import Testing

/// BlurHash, ThumbHash, colors and tiny images.
///
/// The hashes were made by PyPI's blurhash-python 1.2.2 and thumbhash-python 1.0.1 from the same
/// pixels, which `picture` makes by integer arithmetic; the BlurHash of the transparent image from
/// its pixels composed on white and rounded to 8 bits.
@Suite struct PlaceholderTests {
  /// Slopes in each channel that bend and break off.
  static func picture(_ width: Int, _ height: Int, _ layout: PixelFormat.Layout) -> Image {
    TestImages.make(width, height, PixelFormat(layout, .uint8)) { x, y, channel in
      let level =
        switch channel {
        case 0: (x * 9 + y * y / 5) % 256
        case 1: (x * x / 4 + y * 6) % 256
        case 2: (x * 7 + y * 3) % 256
        default: 255 - (y * y + x) % 200
        }
      return Float(level) / 255
    }
  }

  @Test(
    arguments: [
      (32, 24, PixelFormat.Layout.rgb, 4, 3, "LlGuh0I75m%Ln5IWtkv}jqogs*N2"),
      (24, 32, .rgb, 3, 4, "TbHB-,DzNfM09~x=NK%Iv+t5i|K3"),
      (40, 30, .rgba, 4, 3, "LYKUZleTD|NPDlMd9~%fMeSdxaxB"), (32, 24, .rgb, 1, 1, "00Guh0"),
      (
        32, 24, .rgb, 9, 9,
        "|lGuh0I75m%LM{s=S0kDjEn5IWtkv}JCxUV{ovafjqogs*N2o[rvOWs+V{s:WBSNoLn$R.ounTS^ayayoee.W=oIjcW.oLs:axWVj[j?f8W.n*fRe:WVj[jZWqj?jaa#W.s:ayaya}j?jbW.j@n*ayaff*n%a}bFjbfQa|"
      ), (1, 1, .rgb, 4, 3, "L00000fQfQfQfQfQfQfQfQfQfQfQ"),
    ]) func blurHashesAreThoseOfOthers(
      _ width: Int, _ height: Int, _ layout: PixelFormat.Layout, _ x: Int, _ y: Int, _ hash: String
    ) throws
  {
    let components = try #require(BlurHash.Components(x: x, y: y))
    let image = Self.picture(width, height, layout)
    #expect(BlurHash.encode(image, components: components) == hash)
  }

  @Test(
    arguments: [
      (32, 24, PixelFormat.Layout.rgb, "ngcOLYgQWng1eoeHaHh3hz9XucCI"),
      (24, 32, .rgb, "3wcOLQpgd0F5aHl3d3d4eF8ZdPaE"),
      (40, 30, .rgba, "HQiKHIIaBZZEtGd4hz96Pv2eiPeJ93ecCg=="),
      (1, 1, .rgb, "AAgCBwAAAAAAAAAAAAAAAAAAAAAAAAAA"),
      (3, 90, .rgba, "nOeJGQYad3A3SDd3n3qHB3h4jIeH+Ng="),
    ]) func thumbHashesAreThoseOfOthers(
      _ width: Int, _ height: Int, _ layout: PixelFormat.Layout, _ hash: String
    ) throws
  {
    let png = try StillEncoder().encode(Self.picture(width, height, layout), as: .png)
    #expect(try Placeholder(of: .bytes(png)).thumbHashText == hash)
  }

  @Test func componentsAre1To9() {
    for (x, y) in [(0, 3), (4, 0), (10, 3), (4, 10), (-1, 1)] {
      #expect(BlurHash.Components(x: x, y: y) == nil)
    }
    #expect(BlurHash.Components(x: 9, y: 1)?.description == "9x1")
    #expect(BlurHash.Components(for: Size(width: 4, height: 3)).description == "4x3")
    #expect(BlurHash.Components(for: Size(width: 3, height: 4)).description == "3x4")
  }

  @Test func theHashIsAsLongAsItsComponentsSay() throws {
    for x in 1...9 {
      for y in 1...9 {
        let components = try #require(BlurHash.Components(x: x, y: y))
        let hash = BlurHash.encode(Self.picture(12, 9, .rgb), components: components)
        #expect(hash.count == 4 + 2 * x * y)
      }
    }
  }

  /// Half-opaque red, and fully transparent green.
  private var halfRed: Image {
    TestImages.make(20, 20, .rgba8) { x, _, channel in
      switch channel {
      case 0: x < 10 ? 1 : 0
      case 1: x < 10 ? 0 : 1
      case 3: x < 10 ? 0.5 : 0
      default: 0
      }
    }
  }

  @Test func invisibleColorsDoNotCount() throws {
    let png = try StillEncoder().encode(halfRed, as: .png)
    let placeholder = try Placeholder(of: .bytes(png))
    #expect(placeholder.hasAlpha)
    #expect(placeholder.average?.hexadecimal == "#ff0000")
    #expect(placeholder.dominant?.hexadecimal == "#ff0000")
    // 0x80 / 0xff of red on white and on black; the mean is the first of the hash's colors.
    var opaque = TestImages.flat(20, 20, .rgb8, [1, 1, 1])
    for y in 0..<20 {
      for x in 0..<10 {
        for channel in 1...2 { opaque.setSample(1 - 128 / 255, x: x, y: y, channel: channel) }
      }
    }
    #expect(BlurHash.encode(halfRed) == BlurHash.encode(opaque))
    var dark = TestImages.flat(20, 20, .rgb8, [0, 0, 0])
    for y in 0..<20 {
      for x in 0..<10 { dark.setSample(128 / 255, x: x, y: y, channel: 0) }
    }
    #expect(BlurHash.encode(halfRed, on: .black) == BlurHash.encode(dark))
    #expect(BlurHash.encode(dark) != BlurHash.encode(opaque))
  }

  @Test func aTransparentImageHasNoColor() throws {
    let png = try StillEncoder().encode(
      Image(zeros: Size(width: 3, height: 2), format: .rgba8), as: .png)
    let placeholder = try Placeholder(of: .bytes(png))
    #expect(placeholder.average == nil && placeholder.dominant == nil)
    #expect(placeholder.hasAlpha)
  }

  /// A third white and two thirds black: light 1/3, which sRGB encodes as 0.6121 = 156.1 of 255.
  @Test func theAverageIsOfLightAndTheDominantColorIsOne() throws {
    let image = TestImages.make(30, 4, .rgb8) { x, _, _ in x < 10 ? 1 : 0 }
    let png = try StillEncoder().encode(image, as: .png)
    let placeholder = try Placeholder(of: .bytes(png))
    #expect(placeholder.average?.hexadecimal == "#9c9c9c")
    #expect(placeholder.dominant?.hexadecimal == "#000000")
  }

  /// 127 and 128 are on both sides of a wall between cells, and together the most.
  @Test func theDominantColorDoesNotCareAboutCells() throws {
    let levels: [Float] = [127, 128, 127, 128, 127, 128, 10, 10, 10, 10]
    let image = TestImages.make(10, 1, .rgb8) { x, _, _ in levels[x] / 255 }
    let png = try StillEncoder().encode(image, as: .png)
    #expect(try Placeholder(of: .bytes(png)).dominant?.hexadecimal == "#808080")
  }

  @Test(arguments: [StillFormat.webp, .png, .jpeg]) func theTinyImageIsOne(
    _ format: StillFormat
  ) throws {
    let png = try StillEncoder().encode(TestImages.noise(120, 60, .rgba8), as: .png)
    let options = Placeholder.Options(uriFormat: format)
    let uri = try Placeholder(of: .bytes(png), options: options).dataURI
    let head = "data:image/\(format.rawValue);base64,"
    #expect(uri.hasPrefix(head))
    let bytes = try Self.base64(String(uri.dropFirst(head.count)))
    let still = try StillDecoder().decode(.bytes(bytes))
    #expect(still.format == format)
    #expect(still.image.size == Size(width: 16, height: 8))
    #expect(still.image.format.layout.hasAlpha == (format != .jpeg))
    #expect(still.metadata.exif == nil)
  }

  @Test func aTinyImageWithoutAlphaIsAPlainFile() throws {
    let png = try StillEncoder().encode(Self.picture(64, 48, .rgb), as: .png)
    let uri = try Placeholder(of: .bytes(png)).dataURI
    // RIFF and its length, WEBP, then at once the image.
    let bytes = try Self.base64(String(uri.split(separator: ",")[1]))
    #expect(String(decoding: bytes[8..<16], as: UTF8.self) == "WEBPVP8 ")
    #expect(bytes.count == 8 + Int(bytes[4]) + Int(bytes[5]) << 8)
  }

  /// Turned by its EXIF, Display P3, and 240000 pixels: size and colors are those of the decoder.
  @Test func aPhotographIsUprightAndInItsColors() throws {
    let source = StillSource.file("\(Photographs.folder)/coffee.jpg")
    let placeholder = try Placeholder(of: source)
    #expect(placeholder.size == Size(width: 600, height: 400))
    let image = try Photographs.load("coffee.jpg")
    let small = try image.scaled(to: Size(width: 100, height: 67), .soft)
    let png = try StillEncoder().encode(small, as: .png)
    let average = try #require(placeholder.average)
    let expected = try #require(try Placeholder(of: .bytes(png)).average)
    // Scaled before the profile and after it: both round.
    for (one, other) in [
      (average.red, expected.red), (average.green, expected.green), (average.blue, expected.blue),
    ] {
      #expect(abs(one - other) < 2.5 / 255)
    }
  }

  @Test(arguments: [0, -1, 101]) func aSideThatCannotBeIsRefused(_ side: Int) {
    let error = #expect(throws: FrostglassError.self) {
      try Placeholder(of: .bytes([]), options: Placeholder.Options(uriSide: side))
    }
    #expect(
      error?.description == "placeholder: uriSide is \(side); it must be from 1 to 100 pixels")
  }

  @Test func missingFilesAreReported() {
    #expect(throws: FrostglassError.self) { try Placeholder(of: .file("/nowhere/at-all.jpg")) }
  }

  private static func base64(_ text: String) throws -> [UInt8] {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    var bytes: [UInt8] = []
    var bits = 0
    var count = 0
    for character in text where character != "=" {
      bits = bits << 6 | (try #require(alphabet.firstIndex(of: character)))
      count += 6
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(bits >> count & 255))
    }
    return bytes
  }
}
