/// GIF files put together by hand, with frames of whole tables of colors.
package struct PalettedGIF {
  /// A frame: where it lies, and the number of each pixel's color.
  package struct Frame {
    package var x = 0
    package var y = 0
    package var width: Int
    package var indices: [UInt8]
    /// 1: stays; 2: is cleared to the background; 3: what was there comes back.
    package var disposal = 1
    /// The number of what is transparent.
    package var transparent: UInt8?
    /// Hundredths of a second.
    package var delay = 10

    package init(
      x: Int = 0, y: Int = 0, width: Int, _ indices: [UInt8], disposal: Int = 1,
      transparent: UInt8? = nil, delay: Int = 10
    ) {
      (self.x, self.y, self.width, self.indices) = (x, y, width, indices)
      (self.disposal, self.transparent, self.delay) = (disposal, transparent, delay)
    }
  }

  package var width: Int
  package var height: Int
  /// Red, green and blue of each; at most 256.
  package var colors: [[UInt8]]
  package var frames: [Frame]

  package init(width: Int, height: Int, colors: [[UInt8]], _ frames: [Frame]) {
    (self.width, self.height, self.colors, self.frames) = (width, height, colors, frames)
  }

  /// 256 different colors.
  package static let manyColors: [[UInt8]] = (0..<256).map { (index: Int) -> [UInt8] in
    let green = UInt8(255 - index / 2)
    let blue = UInt8((index * 7) & 255)
    return [UInt8(index), green, blue]
  }

  /// The file.
  package var bytes: [UInt8] {
    var made = Array("GIF89a".utf8)
    made += Self.two(width) + Self.two(height)
    made += [0xF7, 0, 0]
    for index in 0..<256 { made += index < colors.count ? colors[index] : [0, 0, 0] }
    for frame in frames { made += Self.bytes(frame) }
    return made + [0x3B]
  }

  private static func bytes(_ frame: Frame) -> [UInt8] {
    let flags = UInt8(frame.disposal << 2 | (frame.transparent == nil ? 0 : 1))
    var made: [UInt8] = [0x21, 0xF9, 4, flags]
    made += two(frame.delay)
    made += [frame.transparent ?? 0, 0, 0x2C]
    made += two(frame.x) + two(frame.y) + two(frame.width)
    made += two(frame.indices.count / frame.width) + [0, 8]
    let packed = packed(frame.indices)
    for start in stride(from: 0, to: packed.count, by: 255) {
      let part = packed[start..<min(start + 255, packed.count)]
      made.append(UInt8(part.count))
      made += part
    }
    return made + [0]
  }

  /// Codes of nine bits: clearing now and then keeps them from growing.
  private static func packed(_ indices: [UInt8]) -> [UInt8] {
    var codes: [Int] = []
    for (number, index) in indices.enumerated() {
      if number % 250 == 0 { codes.append(256) }
      codes.append(Int(index))
    }
    codes.append(257)
    var (packed, store, bits): ([UInt8], Int, Int) = ([], 0, 0)
    for code in codes {
      store |= code << bits
      bits += 9
      while bits >= 8 {
        packed.append(UInt8(store & 255))
        (store, bits) = (store >> 8, bits - 8)
      }
    }
    if bits > 0 { packed.append(UInt8(store)) }
    return packed
  }

  private static func two(_ number: Int) -> [UInt8] { [UInt8(number & 255), UInt8(number >> 8)] }
}
