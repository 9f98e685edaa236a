import FrostglassCore
import FrostglassStills
import Testing

/// TIFF files whose samples libtiff reads and libvips does not, and those with more than one image.
@Suite struct TIFFSortTests {
  private static func value(_ x: Int, _ y: Int, _ channel: Int, _ most: Int) -> Int {
    (x * 37 + y * 101 + channel * 211) * 7 % (most + 1)
  }

  /// Rows of samples of some bits each, the highest first; rows begin with a byte.
  private static func packed(
    _ width: Int, _ height: Int, _ samples: Int, _ bits: Int
  ) -> [UInt8] {
    var data: [UInt8] = []
    for y in 0..<height {
      var (sum, count) = (0, 0)
      for x in 0..<width {
        for channel in 0..<samples {
          sum = sum << bits | value(x, y, channel, 1 << bits - 1)
          count += bits
          while count >= 8 {
            data.append(UInt8(sum >> (count - 8) & 255))
            count -= 8
          }
          sum &= 1 << count - 1
        }
      }
      if count > 0 { data.append(UInt8(sum << (8 - count) & 255)) }
    }
    return data
  }

  @Test(arguments: [5, 6, 10, 12, 14], [1, 3]) func oddDepths(bits: Int, samples: Int) throws {
    let (width, height, most) = (13, 7, 1 << bits - 1)
    let file = TIFFFile.picture(
      width: width, height: height, bits: bits, samples: samples,
      photometric: samples == 1 ? 1 : 2, data: Self.packed(width, height, samples, bits))
    let image = try StillDecoder().decode(.bytes(file)).image
    #expect(
      image.format
        == PixelFormat(samples == 1 ? .gray : .rgb, bits < 8 ? .uint8 : .uint16))
    let full = bits < 8 ? 255 : 65535
    for y in 0..<height {
      for x in 0..<width {
        for channel in 0..<samples {
          let expected = (Self.value(x, y, channel, most) * full + most / 2) / most
          let found = Int((image.sample(x: x, y: y, channel: channel) * Float(full)).rounded())
          #expect(found == expected, "\(x) \(y) \(channel)")
        }
      }
    }
    // White is 0.
    guard samples == 1 else { return }
    let inverted = TIFFFile.picture(
      width: width, height: height, bits: bits, samples: 1, photometric: 0,
      data: Self.packed(width, height, 1, bits))
    let other = try StillDecoder().decode(.bytes(inverted)).image
    let sum = image.sample(x: 3, y: 2, channel: 0) + other.sample(x: 3, y: 2, channel: 0)
    #expect(abs(sum - 1) < 0.00001)
  }

  @Test func halfFloats() throws {
    // 0, 1, 0.5, the least number there is, -2 and 65504.
    let halves = [0x0000, 0x3C00, 0x3800, 0x0001, 0xC000, 0x7BFF]
    let file = TIFFFile.picture(
      width: 2, height: 1, bits: 16, samples: 3, photometric: 2, sampleFormat: 3,
      data: halves.flatMap { TIFFFile.little($0, 2) })
    let image = try StillDecoder().decode(.bytes(file)).image
    #expect(image.format == PixelFormat(.rgb, .float32))
    let found = (0..<6).map { image.sample(x: $0 / 3, y: 0, channel: $0 % 3) }
    #expect(found == [0, 1, 0.5, 0x1p-24, -2, 65504])
  }

  /// An image of tiles in which each sample has its own.
  private static func planes(
    _ size: Size, _ bits: Int, photometric: Bool = true, orientation: Int = 1, samples: Int = 3,
    value: (_ x: Int, _ y: Int, _ channel: Int, _ most: Int) -> Int = Self.value
  ) -> [UInt8] {
    let side = 16
    let (columns, rows) = ((size.width + side - 1) / side, (size.height + side - 1) / side)
    var file = TIFFFile()
    var places: [Int] = []
    for channel in 0..<samples {
      for tile in 0..<columns * rows {
        places.append(
          file.append(
            (0..<side * side).flatMap { index in
              TIFFFile.little(
                value(
                  tile % columns * side + index % side, tile / columns * side + index / side,
                  channel, 1 << bits - 1), bits / 8)
            }))
      }
    }
    func list(_ tag: Int, _ type: Int, _ values: [Int]) -> TIFFFile.Entry {
      TIFFFile.Entry(
        tag: tag, type: type, count: values.count,
        data: values.flatMap { TIFFFile.little($0, type == 3 ? 2 : 4) })
    }
    let first = file.appendDirectory(
      [
        .long(256, size.width), .long(257, size.height),
        list(258, 3, (0..<samples).map { _ in bits }),
        .short(259, 1), .short(277, samples), .short(284, 2), .short(322, side), .short(323, side),
        list(324, 4, places), list(325, 4, places.map { _ in side * side * bits / 8 }),
        .short(274, orientation),
      ] + (photometric ? [.short(262, 2)] : []) + (samples > 3 ? [.short(338, 1)] : []))
    file.setFirst(first)
    return file.bytes
  }

  @Test(arguments: [8, 16], [true, false]) func tilesOfPlanes(bits: Int, photometric: Bool) throws {
    let size = Size(width: 37, height: 21)
    let file = Self.planes(size, bits, photometric: photometric)
    let image = try StillDecoder().decode(.bytes(file)).image
    let most = 1 << bits - 1
    #expect(image.size == size)
    for y in 0..<size.height {
      for x in 0..<size.width {
        for channel in 0..<3 {
          let found = Int((image.sample(x: x, y: y, channel: channel) * Float(most)).rounded())
          #expect(found == Self.value(x, y, channel, most), "\(x) \(y) \(channel)")
        }
      }
    }
    let turned = try StillDecoder().decode(.bytes(Self.planes(size, bits, orientation: 6))).image
    #expect(turned.size == Size(width: 21, height: 37))
    #expect(
      turned.sample(x: 20, y: 0, channel: 1) == image.sample(x: 0, y: 0, channel: 1))
  }

  /// libvips divides the colors of strips by alpha itself.
  @Test(arguments: [8, 16]) func associatedAlphaOfTilesEqualsThatOfAStrip(bits: Int) throws {
    let size = Size(width: 37, height: 21)
    let most = 1 << bits - 1
    func value(_ x: Int, _ y: Int, _ channel: Int, _: Int) -> Int {
      let alpha = (x + y) % 8 * most / 7
      return channel == 3 ? alpha : alpha * ((x * 5 + channel * 3) % 16) / 15
    }
    let tiles = Self.planes(size, bits, samples: 4, value: value)
    let strip = TIFFFile.picture(
      width: size.width, height: size.height, bits: bits, samples: 4, photometric: 2,
      more: [.short(338, 1)],
      data: (0..<size.area).flatMap { index in
        (0..<4).flatMap {
          TIFFFile.little(value(index % size.width, index / size.width, $0, most), bits / 8)
        }
      })
    let images = try [tiles, strip].map { try StillDecoder().decode(.bytes($0)).image }
    #expect(images[0].format == images[1].format)
    let differences = (0..<size.area * 4).map { index in
      let (x, y) = (index / 4 % size.width, index / 4 / size.width)
      let samples = images.map { $0.sample(x: x, y: y, channel: index % 4) }
      return abs(samples[0] - samples[1])
    }
    #expect(differences.max() ?? 1 < 1.5 / Float(most))
    // Half of white under half of alpha is white.
    #expect(images[0].sample(x: 3, y: 1, channel: 0) == 1)
  }

  @Test func tilesThatEndEarlyAreDamage() throws {
    let file = Self.planes(Size(width: 37, height: 21), 16)
    #expect(throws: DecodeError.self) {
      try StillDecoder().decode(.bytes(TIFFFile.withoutLastTile(file)))
    }
  }

  @Test(arguments: [
    (bits: 24, sampleFormat: 3, photometric: 1, compression: 1, "24-bit floating-point samples"),
    (20, 1, 1, 1, "20-bit samples"), (12, 1, 8, 1, "CIELab in 12 bits"),
    (8, 1, 32803, 1, "raw samples"), (8, 1, 1, 34712, "compression 34712 (JPEG 2000)"),
    (12, 1, 1, 7, "JPEG compression of 12-bit samples"),
  ])
  func sortsThatAreNotReadAreNamed(
    bits: Int, sampleFormat: Int, photometric: Int, compression: Int, words: String
  ) throws {
    let data = [UInt8](repeating: 7, count: 8 * 4 * bits / 8)
    var file = TIFFFile.picture(
      width: 8, height: 4, bits: bits, samples: 1, photometric: photometric,
      sampleFormat: sampleFormat, data: data)
    let place = try #require(
      file.indices.first { file[$0...].starts(with: [3, 1, 3, 0, 1, 0, 0, 0]) })
    file.replaceSubrange(place + 8..<place + 10, with: TIFFFile.little(compression, 2))
    let broken = file
    let error = #expect(throws: DecodeError.self) { try StillDecoder().decode(.bytes(broken)) }
    guard case .unsupportedKind(_, let found) = error else {
      Issue.record("not refused as a kind")
      return
    }
    #expect(found.contains(words), "\(found)")
  }

  /// Pages and subdirectories: each is gray and as wide as its number says.
  private struct Page {
    var width: Int
    var kind: Int?
    var oldKind: Int?
    var inside: [Page] = []
  }

  private static func file(_ pages: [Page]) -> [UInt8] {
    var file = TIFFFile()
    func append(_ page: Page, next: Int) -> Int {
      let inside = page.inside.map { append($0, next: 0) }
      let strip = file.append([UInt8](repeating: UInt8(page.width), count: page.width * 4))
      return file.appendDirectory(
        [
          .long(256, page.width), .long(257, 4), .short(258, 8), .short(259, 1), .short(262, 1),
          .long(273, strip), .short(277, 1), .long(278, 4), .long(279, page.width * 4),
          page.kind.map { .long(254, $0) }, page.oldKind.map { .short(255, $0) },
          inside.isEmpty
            ? nil
            : TIFFFile.Entry(
              tag: 330, type: 4, count: inside.count,
              data: inside.flatMap { TIFFFile.little($0, 4) }),
        ].compactMap { $0 }, next: next)
    }
    file.setFirst(pages.reversed().reduce(0) { append($1, next: $0) })
    return file.bytes
  }

  @Test func theFullImageIsTakenAndNotASmallerCopy() throws {
    let full = Page(width: 40, kind: 0)
    let files: [(pages: [Page], width: Int, others: Int)] = [
      ([Page(width: 10, kind: 1), full], 40, 0),
      ([Page(width: 10, oldKind: 2), Page(width: 40)], 40, 0),
      ([full, Page(width: 10, kind: 1)], 40, 0),
      ([Page(width: 10, kind: 1), full, Page(width: 30, kind: 0)], 40, 1),
      ([Page(width: 10, kind: 2), Page(width: 30, kind: 2)], 10, 1),
      ([Page(width: 10), Page(width: 30)], 10, 1),
      ([Page(width: 10, kind: 4), full], 40, 0),
      ([Page(width: 10, kind: 1, inside: [full])], 40, 0),
      ([Page(width: 10, kind: 1, inside: [Page(width: 20, kind: 1), full])], 40, 0),
      ([Page(width: 10, kind: 1), Page(width: 20, kind: 1)], 10, 0),
      ([Page(width: 40, inside: [Page(width: 20, kind: 1)])], 40, 0),
    ]
    for (index, file) in files.enumerated() {
      let bytes = Self.file(file.pages)
      let header = try StillDecoder().header(of: .bytes(bytes))
      #expect(header.unreadFrames == file.others, "\(index)")
      let image = try StillDecoder().decode(.bytes(bytes)).image
      #expect(image.size == Size(width: file.width, height: 4), "\(index)")
      #expect(image.bytes.first == UInt8(file.width), "\(index)")
    }
  }
}
