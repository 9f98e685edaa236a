import FrostglassCore
import FrostglassStills
import Testing

@Suite struct OrientationTests {
  /// The quarters of the stored image after turning. Each row has the stored quarter at each place, in the order
  /// top-left, top-right, bottom-left, bottom-right.
  static let seen: [[Int]] = [
    [0, 1, 2, 3], [1, 0, 3, 2], [3, 2, 1, 0], [2, 3, 0, 1],
    [0, 2, 1, 3], [2, 0, 3, 1], [3, 1, 2, 0], [1, 3, 0, 2],
  ]

  /// Four flat quarters of different gray, 32×16.
  static var quarters: Image {
    var image = Image(zeros: Size(width: 32, height: 16), format: .rgb8)
    for y in 0..<16 {
      for x in 0..<32 {
        let level = Float((y < 8 ? 0 : 2) + (x < 16 ? 0 : 1)) / 4
        for channel in 0..<3 { image.setSample(level, x: x, y: y, channel: channel) }
      }
    }
    return image
  }

  static func quarters(of image: Image) -> [Int] {
    let (w, h) = (image.size.width, image.size.height)
    return [(w / 4, h / 4), (3 * w / 4, h / 4), (w / 4, 3 * h / 4), (3 * w / 4, 3 * h / 4)]
      .map { Int((image.sample(x: $0.0, y: $0.1, channel: 0) * 4).rounded()) }
  }

  static func photo(_ orientation: Int) throws -> [UInt8] {
    JPEGFile.insertingExif(
      CameraExif.camera(orientation: orientation),
      into: try StillEncoder().encode(quarters, as: .jpeg))
  }

  @Test(arguments: 1...8)
  func aPhotoIsTurnedUprightOnce(orientation: Int) throws {
    let file = try Self.photo(orientation)
    let still = try StillDecoder().decode(.bytes(file))
    let turned = orientation >= 5
    #expect(still.image.size == Size(width: turned ? 16 : 32, height: turned ? 32 : 16))
    #expect(Self.quarters(of: still.image) == Self.seen[orientation - 1])
    #expect(try StillDecoder().header(of: .bytes(file)).size == still.image.size)
  }

  @Test(arguments: 1...8, [StillFormat.jpeg, .png, .webp, .avif, .heic, .jxl])
  func aSavedPhotoDoesNotTurnAgain(orientation: Int, format: StillFormat) throws {
    let still = try StillDecoder().decode(.bytes(Self.photo(orientation)))
    let saved = try StillEncoder().encode(still.image, metadata: still.metadata, as: format)
    let again = try StillDecoder().decode(.bytes(saved))
    #expect(again.image.size == still.image.size)
    #expect(Self.quarters(of: again.image) == Self.seen[orientation - 1])
  }

  @Test(arguments: 1...8)
  func savedEXIFSaysUprightAndTheRightSize(orientation: Int) throws {
    let still = try StillDecoder().decode(.bytes(Self.photo(orientation)))
    let saved = try StillEncoder().encode(still.image, metadata: still.metadata, as: .jpeg)
    let exif = CameraExif.read(try #require(JPEGFile.exif(saved)))
    #expect(exif.numbers[0x0112] == 1)
    #expect(exif.numbers[0xA002] == still.image.size.width)
    #expect(exif.numbers[0xA003] == still.image.size.height)
  }

  @Test(arguments: 1...8)
  func aTIFFIsTurnedByItsTag(orientation: Int) throws {
    let file = TIFFFile.picture(
      width: 32, height: 16, bits: 8, samples: 3, photometric: 2,
      more: [.short(274, orientation)], data: Self.quarters.bytes)
    let still = try StillDecoder().decode(.bytes(file))
    #expect(Self.quarters(of: still.image) == Self.seen[orientation - 1])
    let saved = try StillEncoder().encode(still.image, metadata: still.metadata, as: .tiff)
    let again = try StillDecoder().decode(.bytes(saved))
    #expect(again.image.bytes == still.image.bytes)
  }

  @Test func xmpSaysUprightToo() throws {
    let packet = #"<x tiff:Orientation="6"/><tiff:Orientation>8</tiff:Orientation>"#
    let file = JPEGFile.inserting(
      0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + Array(packet.utf8),
      into: try Self.photo(6))
    let metadata = try StillDecoder().decode(.bytes(file)).metadata
    #expect(
      String(decoding: metadata.xmp ?? [], as: UTF8.self)
        == #"<x tiff:Orientation="1"/><tiff:Orientation>1</tiff:Orientation>"#)
  }
}
