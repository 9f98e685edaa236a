import FrostglassCore
import FrostglassStills
import TestSupport
import Testing

/// GIF files whose codes lack their end.
@Suite struct GIFCodesTests {
  /// A file of codes of three bits each: clearing (4) after every two pixels keeps them from growing.
  private static func file(_ size: Size, _ codes: [Int], parts: Int = 255) -> [UInt8] {
    let number = codes.enumerated().reduce(0) { $0 | $1.element << (3 * $1.offset) }
    let count = (codes.count * 3 + 7) / 8
    let packed = (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    var made = Array("GIF89a".utf8) + [UInt8(size.width), 0, UInt8(size.height), 0, 0xF1, 0, 0]
    made += [255, 0, 0, 0, 0, 255, 0, 255, 0, 255, 255, 255]
    made += [0x2C, 0, 0, 0, 0, UInt8(size.width), 0, UInt8(size.height), 0, 0, 2]
    for start in stride(from: 0, to: count, by: parts) {
      let part = packed[start..<min(start + parts, count)]
      made += [UInt8(part.count)] + part
    }
    return made + [0, 0x3B]
  }

  /// Eight codes of three bits end with their byte.
  @Test(arguments: [1, 2, 255]) func theLastPixelIsReadWithoutAnEndCode(parts: Int) throws {
    let codes = [4, 3, 2, 4, 1, 0, 4, 3]
    let file = Self.file(Size(width: 5, height: 1), codes, parts: parts)
    let image = try StillDecoder().decode(.bytes(file)).image
    let colors: [[Float]] = [[1, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1]]
    for (x, color) in [3, 2, 1, 0, 3].enumerated() {
      #expect((0..<3).map { image.sample(x: x, y: 0, channel: $0) } == colors[color])
    }
  }

  @Test func codesThatStopBeforeTheLastPixelAreDamage() throws {
    let file = Self.file(Size(width: 4, height: 2), [4, 3, 2, 4, 1, 0, 4, 3])
    let error = try #require(throws: DecodeError.self) { try StillDecoder().decode(.bytes(file)) }
    #expect(error == .damaged(name: "the given bytes", reason: "frame 1 has 5 of its 8 pixels"))
  }

  /// 5 ends an image.
  @Test func anEndCodeBeforeTheLastPixelIsDamage() throws {
    let file = Self.file(Size(width: 4, height: 2), [4, 3, 2, 4, 1, 0, 5])
    let error = try #require(throws: DecodeError.self) { try StillDecoder().decode(.bytes(file)) }
    #expect(error == .damaged(name: "the given bytes", reason: "frame 1 has 4 of its 8 pixels"))
  }

  @Test func morePixelsThanAFrameHasAreRemarked() throws {
    let file = Self.file(Size(width: 3, height: 1), [4, 3, 2, 4, 1, 0, 5])
    #expect(
      try StillDecoder().header(of: .bytes(file)).remarks
        == ["has more pixels in frame 1 than fit and may be damaged"])
    let fits = Self.file(Size(width: 4, height: 1), [4, 3, 2, 4, 1, 0, 5])
    #expect(try StillDecoder().header(of: .bytes(fits)).remarks.isEmpty)
  }
}
