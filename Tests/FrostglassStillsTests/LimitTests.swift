import FrostglassCore
import FrostglassStills
import TestSupport
import Testing

/// Limits of formats, and false claims of files.
@Suite struct LimitTests {
  @Test(arguments: [StillFormat.jpeg, .png, .webp, .gif, .tiff])
  func theLongestSideIsWrittenAndReadALongerOneRefused(format: StillFormat) throws {
    let pixels = format.pixelFormat(preserving: .gray8)
    let longest = Image(zeros: Size(width: format.longestSide, height: 1), format: pixels)
    let file = try StillEncoder(EncodeOptions(effort: 0)).encode(longest, as: format)
    #expect(try StillDecoder().decode(.bytes(file)).image.size == longest.size)
    refuse(Size(width: format.longestSide + 1, height: 1), format)
    refuse(Size(width: 1, height: format.longestSide + 1), format)
  }

  @Test func anAVIFHasSidesThatLibheifReads() throws {
    let longest = Image(zeros: Size(width: 16384, height: 16), format: .rgb8)
    let file = try StillEncoder(EncodeOptions(effort: 0)).encode(longest, as: .avif)
    #expect(try StillDecoder().decode(.bytes(file)).image.size == longest.size)
    refuse(Size(width: 16385, height: 16), .avif)
  }

  @Test func aGIFHasAnAreaToo() {
    #expect(throws: Never.self) {
      try StillFormat.gif.checkSize(Size(width: 23170, height: 23170))
    }
    refuse(Size(width: 23171, height: 23171), .gif)
  }

  private func refuse(_ size: Size, _ format: StillFormat) {
    let error = #expect(throws: EncodeError.self) { try format.checkSize(size) }
    guard case .tooLarge(format, size, _, let others) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    for other in StillFormat.allCases {
      let holds = (try? other.checkSize(size)) != nil
      #expect(others.contains(other) == holds)
    }
  }

  @Test func theWordsNameWhatWouldDo() {
    let size = Size(width: 2_424_861, height: 37)
    let error = #expect(throws: EncodeError.self) { try StillFormat.png.checkSize(size) }
    #expect(
      error?.description
        == "PNG cannot hold 2424861×37 pixels; it takes up to 1000000 pixels per side; "
        + "that size fits JPEG XL, TIFF, BMP, PPM, PFM")
    let huge = #expect(throws: EncodeError.self) {
      try StillFormat.gif.checkSize(Size(width: 20_000_000, height: 1))
    }
    #expect(huge?.description.hasSuffix("make the image smaller") == true)
  }

  /// libjpeg and libnsgif would make up the rest.
  @Test func aFileTooSmallForWhatItClaimsIsDamaged() throws {
    let small = TestImage.ramp(.rgb8, width: 64, height: 64)
    var jpeg = try StillEncoder().encode(small, as: .jpeg)
    let frame = try #require(jpeg.indices.first { jpeg[$0...].starts(with: [0xFF, 0xC0]) })
    jpeg.replaceSubrange(frame + 5..<frame + 9, with: [0x4E, 0x20, 0x4E, 0x20])
    refuseLie(jpeg)

    var gif = GIFFile.twoFrames
    gif.replaceSubrange(6..<10, with: [0x20, 0x4E, 0x20, 0x4E])
    let image = try #require(gif.indices.first { gif[$0...].starts(with: [0x2C, 0, 0, 0, 0]) })
    gif.replaceSubrange(image + 5..<image + 9, with: [0x20, 0x4E, 0x20, 0x4E])
    refuseLie(gif, "frame 1 has 4 of its 400000000 pixels")
  }

  /// Rows of millions of pixels would be given memory before the data end.
  @Test func tooFewDataForWideRowsAreDamage() throws {
    var png = PNGFile.signature + PNGFile.header(width: 20000, height: 20000)
    png += PNGFile.chunk("IDAT", [UInt8](repeating: 0, count: 1_000_000))
    refuseLie(png)
    // So many might be enough.
    png += PNGFile.chunk("IDAT", [UInt8](repeating: 0, count: 200_000))
    #expect(throws: Never.self) { try StillDecoder().header(of: .bytes(png)) }

    func tiff(_ compression: Int, _ count: Int) -> [UInt8] {
      var file = TIFFFile.picture(
        width: 20000, height: 20000, bits: 8, samples: 3, photometric: 2,
        data: [UInt8](repeating: 0, count: count))
      let entry: [UInt8] = [3, 1, 3, 0, 1, 0, 0, 0, 1, 0]
      let place = file.indices.last { file[$0...].starts(with: entry) } ?? 0
      file.replaceSubrange(place + 8..<place + 10, with: TIFFFile.little(compression, 2))
      return file
    }
    for (compression, most) in [(1, 1), (8, 1032), (32773, 64), (5, 2731)] {
      refuseLie(tiff(compression, min(1_200_000_000 / most - 1, 1_000_000)))
      guard most > 64 else { continue }
      #expect(throws: Never.self) {
        try StillDecoder().header(of: .bytes(tiff(compression, 1_200_000_000 / most + 1)))
      }
    }
    // Of other compressions nothing is known.
    #expect(throws: Never.self) { try StillDecoder().header(of: .bytes(tiff(4, 1000))) }
  }

  private func refuseLie(
    _ file: [UInt8], _ words: String = "its header claims 20000×20000 pixels"
  ) {
    let error = #expect(throws: DecodeError.self) { try StillDecoder().header(of: .bytes(file)) }
    guard case .damaged(_, let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.hasPrefix(words), "\(reason)")
  }

  /// As small as honest files get.
  @Test(arguments: StillFormat.eightBit)
  func aLargeImageOfOneColorIsTaken(format: StillFormat) throws {
    let pixels = format.pixelFormat(preserving: .gray8)
    // Encoders of videos take their time.
    let side =
      format == .png || format == .apng ? 6000 : format == .heic || format == .jxl ? 1024 : 4096
    let image = Image(zeros: Size(width: side, height: side), format: pixels)
    let options = EncodeOptions(quality: 1, effort: [.avif, .jxl].contains(format) ? 0 : 9)
    let file = try StillEncoder(options).encode(image, as: format)
    #expect(try StillDecoder().header(of: .bytes(file)).size == image.size)
  }

  /// More of them than are read tile by tile.
  @Test(arguments: [1, 4]) func manyTilesSideBySideComeOutWhereTheyBelong(
    samples: Int
  ) throws {
    let (columns, rows, side) = (300, 3, 16)
    let size = Size(width: columns * side - 5, height: rows * side - 7)
    let (file, value) = TIFFFile.tiles(size, side: side, samples: samples)
    let still = try StillDecoder().decode(.bytes(file))
    #expect(still.image.size == size)
    for y in 0..<size.height {
      for x in 0..<size.width {
        let found = still.image.bytes[y * still.image.bytesPerRow + x * samples]
        guard found == value(x, y) else {
          Issue.record("\(x), \(y) is \(found), not \(value(x, y))")
          return
        }
      }
    }
    // Cut off in the last row of tiles.
    let cut = try #require(try? StillDecoder().reader(of: .bytes(TIFFFile.withoutLastTile(file))))
    #expect(throws: DecodeError.self) { try cut.image() }
  }

  @Test func tilesThatWouldBeSearchedForAMinuteAreRefused() {
    let size = Size(width: 500_000, height: 37)
    let file = TIFFFile.tiles(size, side: 16, samples: 1, sharing: true).file
    let error = #expect(throws: DecodeError.self) { try StillDecoder().header(of: .bytes(file)) }
    guard case .damaged(_, let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason == "too many tiles of 16×16 side by side in 500000×37 pixels")
  }

  @Test(arguments: StillFormat.eightBit)
  func memoryIsCountedBeforeItIsTaken(format: StillFormat) throws {
    let image = TestImage.ramp(
      format.pixelFormat(preserving: .rgb8), width: 400, height: 300)
    let file = StillSource.bytes(try StillEncoder().encode(image, as: format))
    let error = #expect(throws: DecodeError.self) {
      try StillDecoder(DecodeOptions(maxMemory: image.bytes.count - 1)).decode(file)
    }
    guard case .tooMuchMemory(_, image.size, let need, image.bytes.count - 1) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(throws: Never.self) {
      try StillDecoder(DecodeOptions(maxMemory: need)).decode(file)
    }
    #expect(throws: DecodeError.self) {
      try StillDecoder(DecodeOptions(maxMemory: need - 1)).decode(file)
    }
  }
}
