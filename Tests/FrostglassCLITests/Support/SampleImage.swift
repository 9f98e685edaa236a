import FrostglassCore
import FrostglassStills
import TestSupport

/// Small image files with known contents.
enum SampleImage {
  /// Left half red, right half blue.
  static func image(_ format: PixelFormat = .rgb8, width: Int = 24, height: Int = 16) -> Image {
    var image = Image(zeros: Size(width: width, height: height), format: format)
    for y in 0..<height {
      for x in 0..<width {
        image.setSample(1, x: x, y: y, channel: x < width / 2 ? 0 : format.layout.channels - 1)
      }
    }
    return image
  }

  /// A file of `image()`.
  static func file(_ format: StillFormat = .png, width: Int = 24, height: Int = 16) throws
    -> [UInt8]
  {
    try StillEncoder().encode(image(width: width, height: height), as: format)
  }

  /// Pixels that no encoder makes small, others each time.
  static func noise(width: Int, height: Int) throws -> [UInt8] {
    let image = TestImages.noise(width, height, seed: .random(in: 0 ... .max))
    return try StillEncoder().encode(image, as: .png)
  }

  /// The file with one bit of its first image data changed.
  static func withBrokenChecksum() throws -> [UInt8] {
    var file = try file()
    let mark = Array("IDAT".utf8)
    let start = file.indices.first { file[$0...].starts(with: mark) } ?? 0
    file[start + 10] ^= 0x10
    return file
  }

  /// Returns a PNG that announces an animation, with its image as the first frame.
  static func animatedPNG(frames: UInt8) throws -> [UInt8] {
    let file = try file()
    // Behind the signature and the header.
    return Array(file[..<33]) + PNGFile.chunk("acTL", [0, 0, 0, frames, 0, 0, 0, 0])
      + PNGFile.chunk("fcTL", [UInt8](repeating: 0, count: 26)) + file[33...]
  }

  /// A JPEG whose EXIF names a maker.
  static func fromCamera(maker: String) throws -> [UInt8] {
    let text = Array(maker.utf8) + [0]
    // Little-endian TIFF: one directory with one entry, ASCII tag 0x010F at offset 26.
    let block: [UInt8] =
      [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x0F, 0x01, 2, 0, UInt8(text.count), 0, 0, 0]
      + [26, 0, 0, 0, 0, 0, 0, 0] + text
    let data = Array("Exif\0\0".utf8) + block
    let file = try file(.jpeg)
    return Array(file.prefix(2)) + [0xFF, 0xE1, 0, UInt8(data.count + 2)] + data + file.dropFirst(2)
  }

  /// A one-pixel GIF.
  static let gif: [UInt8] =
    Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 255, 0, 0, 0, 0, 255]
    + [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3B]
}
