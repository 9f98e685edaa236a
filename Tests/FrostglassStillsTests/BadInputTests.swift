import FrostglassCore
import FrostglassStills
import Glibc
import TestSupport
import Testing

@Suite struct BadInputTests {
  static let name = "the given bytes"

  func refuse(_ bytes: [UInt8], _ options: DecodeOptions = DecodeOptions()) -> DecodeError? {
    #expect(throws: DecodeError.self) { try StillDecoder(options).decode(.bytes(bytes)) }
  }

  @Test func missingDirectoryEmpty() {
    let scratch = Scratch()
    let decoder = StillDecoder()
    let missing = scratch / "none.png"
    #expect(throws: DecodeError.missing(path: missing)) { try decoder.decode(.file(missing)) }
    let below = scratch.add("plain", [1]) + "/x.png"
    #expect(throws: DecodeError.missing(path: below)) { try decoder.decode(.file(below)) }
    #expect(throws: DecodeError.isDirectory(path: scratch.path)) {
      try decoder.decode(.file(scratch.path))
    }
    let empty = scratch.add("empty.jpg", [])
    #expect(throws: DecodeError.empty(name: empty)) { try decoder.decode(.file(empty)) }
    #expect(throws: DecodeError.empty(name: Self.name)) { try decoder.decode(.bytes([])) }
  }

  /// libtiff takes the first of two entries for the width of tiles, and so it must be looked at.
  @Test(arguments: [UInt64.max >> 1, 1 << 31, 16])
  func aTIFFWithTwoWidthsOfTiles(_ second: UInt64) throws {
    var entries: [(tag: Int, type: Int, value: Int)] = [
      (256, 3, 16), (257, 3, 16), (258, 3, 8), (259, 3, 1), (262, 3, 1), (277, 3, 1), (322, 3, 16),
    ]
    // 8 bytes in front, 11 entries, and where the next image is not.
    let end = 8 + 2 + 12 * 11 + 4
    entries += [(322, 16, end + 256), (323, 3, 16), (324, 4, end), (325, 4, 256)]
    func bytes(_ number: UInt64, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
    }
    var file = Array("II*\0".utf8) + bytes(8, 4) + bytes(11, 2)
    for entry in entries {
      file += bytes(UInt64(entry.tag), 2) + bytes(UInt64(entry.type), 2) + bytes(1, 4)
      file += bytes(UInt64(entry.value), 4)
    }
    file += bytes(0, 4) + [UInt8](repeating: 77, count: 256) + bytes(second, 8)
    let still = try StillDecoder().decode(.bytes(file))
    #expect(still.image.size == Size(width: 16, height: 16))
    #expect(still.image.bytes.allSatisfy { $0 == 77 })
  }

  @Test func aDeviceThatCannotBeReadSaysSoInTheSystemsWords() {
    let error = #expect(throws: DecodeError.self) {
      try StillDecoder().decode(.file("/proc/self/mem"))
    }
    #expect(
      error?.description.contains("Input/output error") == true, "\(String(describing: error))")
  }

  @Test(arguments: [
    "just text, whatever the name says",
    "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><rect/></svg>",
    "<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>",
    "%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF", "P7 1 1 255 1 2 3\n",
    "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 1\n    ", "BM      ",
  ])
  func whatIsNoAcceptedImageIsRefusedWhateverItsName(text: String) {
    let scratch = Scratch()
    let path = scratch.add("picture.jpg", Array(text.utf8))
    let expected = DecodeError.unknownFormat(name: path, accepted: StillFormat.allCases)
    #expect(throws: expected) { try StillDecoder().decode(.file(path)) }
    #expect(
      expected.description.hasSuffix(
        "accepted are JPEG, PNG, APNG, WebP, AVIF, HEIC, JPEG XL, GIF, TIFF, BMP, PPM, PFM"))
  }

  @Test func theDataDecidesNotTheName() throws {
    let scratch = Scratch()
    let path = scratch.add(
      "picture.jpg", try StillEncoder().encode(TestImage.ramp(.rgb8), as: .png))
    #expect(try StillDecoder().decode(.file(path)).format == .png)
  }

  @Test(arguments: StillFormat.eightBit, [5, 30, 50, 80, 95])
  func aCutOffFileIsAnError(format: StillFormat, percent: Int) throws {
    let image = TestImage.ramp(format.pixelFormat(preserving: .rgb8), width: 300, height: 200)
    let bytes = try StillEncoder().encode(image, as: format)
    let error = refuse(Array(bytes.prefix(bytes.count * percent / 100)))
    guard case .damaged = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func aCutOffGIFIsAnError() {
    let whole = GIFFile.twoFrames
    // Behind a frame, what belongs to the next one, and without the byte that ends it.
    let ends = [49, 57, 73, 74]
    for count in 1...whole.count {
      let cut = Array(whole.prefix(count))
      guard !ends.contains(count) else {
        #expect(throws: Never.self) { try StillDecoder().decode(.bytes(cut)) }
        continue
      }
      guard count >= 13 else {
        _ = refuse(cut)
        continue
      }
      guard case .damaged = refuse(cut) else {
        Issue.record("\(count) bytes")
        continue
      }
    }
  }

  @Test func aCutOffGIFFileIsAnErrorToo() throws {
    let scratch = Scratch()
    let path = scratch.add("cut.gif", Array(GIFFile.twoFrames.prefix(70)))
    let error = #expect(throws: DecodeError.self) { try StillDecoder().decode(.file(path)) }
    guard case .damaged = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func whatFollowsTheEndOfAGIFIsNobodys() throws {
    let decoded = try StillDecoder().header(of: .bytes(GIFFile.twoFrames + [0x2C, 1, 2]))
    #expect(decoded.frames == 2)
  }

  @Test func anAVIFSequenceIsNoDamagedImage() {
    var start: [UInt8] = [0, 0, 0, 24]
    start += Array("ftypavis".utf8) + [0, 0, 0, 0] + Array("avismsf1".utf8)
    let expected = DecodeError.unsupportedKind(name: Self.name, found: "an AVIF sequence")
    #expect(refuse(start + [UInt8](repeating: 0, count: 40)) == expected)
  }

  @Test func aFlippedBitInAPNGIsAnError() throws {
    let image = TestImage.ramp(.rgb8, width: 64, height: 64)
    let bytes = try StillEncoder().encode(image, as: .png)
    let data = try #require(PNGFile.find("IDAT", in: bytes))
    // In the checksum, in the data it guards, and in the header. Many tries, because threads may
    // lose an error only now and then.
    let offsets = [data.upperBound + 2, data.lowerBound + data.count / 2, 8 + 8 + 3 + 10]
    for offset in offsets + Array(stride(from: data.lowerBound, to: data.upperBound, by: 37)) {
      var broken = bytes
      broken[offset] ^= 4
      let refusals = (0..<20).filter { _ in isDamaged(broken) }.count
      #expect(refusals == 20, "a flipped bit at \(offset)")
    }
  }

  private func isDamaged(_ bytes: [UInt8]) -> Bool {
    do throws(DecodeError) {
      _ = try StillDecoder().decode(.bytes(bytes))
      return false
    } catch {
      if case .damaged = error { return true }
      return false
    }
  }

  @Test func aPixelBombIsRefusedFromItsHeader() {
    let bomb =
      PNGFile.signature + PNGFile.header(width: 30000, height: 30000)
      + PNGFile.chunk("IDAT", [0x78, 0x9C, 1, 2, 3])
    let expected = DecodeError.tooManyPixels(
      name: Self.name, size: Size(width: 30000, height: 30000), limit: 500_000_000)
    #expect(refuse(bomb) == expected)
    #expect(throws: expected) { try StillDecoder().header(of: .bytes(bomb)) }
    #expect(
      expected.description
        == "the given bytes: 30000×30000 pixels are more than the allowed 500000000; "
        + "give a smaller image or raise the limit to 900000000")
  }

  @Test func thePixelLimitIsExact() throws {
    let bytes = try StillEncoder()
      .encode(TestImage.constant(0, .gray8, width: 10, height: 10), as: .png)
    #expect(throws: Never.self) {
      try StillDecoder(DecodeOptions(maxPixels: 100)).decode(.bytes(bytes))
    }
    guard case .tooManyPixels = refuse(bytes, DecodeOptions(maxPixels: 99)) else {
      Issue.record("100 pixels passed a limit of 99")
      return
    }
  }

  @Test func anErrorLeavesNoTraceInTheNextOne() throws {
    _ = refuse(Array("text".utf8))
    let bytes = try StillEncoder().encode(TestImage.ramp(.rgb8), as: .png)
    #expect(throws: Never.self) { try StillDecoder().decode(.bytes(bytes)) }
  }

  /// Pixels that a decoder does not write are not other memory's contents. Here the C library fills memory that it
  /// gives out with one byte, then with another.
  @Test func whatIsNotDecodedIsNotOtherMemory() throws {
    ClearedMemory.enable()
    let pictures = try [UInt8(0x55), 0xAA].map { fill throws in
      ClearedMemory.fill(with: fill)
      defer { ClearedMemory.fill(with: nil) }
      let whole = try StillDecoder().decode(.bytes(DamagedImage.halfDecoded)).image.bytes
      return [whole, try Self.rows(of: DamagedImage.halfDecoded)]
    }
    #expect(pictures[0][0] == pictures[0][1])
    #expect(pictures[0] == pictures[1])
  }

  /// The same for pieces of memory so small that the C library does not fill them: those that it gives out
  /// are full of one byte, then of another.
  @Test func whatIsNotDecodedOfATinyImageIsNotOtherMemory() throws {
    ClearedMemory.enable()
    let pictures = try [UInt8(0x55), 0xAA].map { fill throws in
      Self.fillSmallPieces(fill)
      return try Self.rows(of: TinyHEIC.damaged)
    }
    #expect(pictures[0].count == 32 * 32 * 3)
    #expect(pictures[0] == pictures[1])
    #expect(try Self.rows(of: TinyHEIC.intact) != pictures[0], "all of it is decoded")
  }

  /// Rows are decoded in this thread, whole images in others.
  private static func rows(of file: [UInt8]) throws -> [UInt8] {
    let reader = try StillDecoder().reader(of: .bytes(file))
    let header = reader.header
    var rows = [UInt8](
      repeating: 0, count: header.size.area * header.pixelFormat.bytesPerPixel)
    try rows.withUnsafeMutableBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      try reader.read(0..<header.size.height, into: start)
    }
    return rows
  }

  /// Leaves this thread's cache of memory full of pieces with such bytes.
  private static func fillSmallPieces(_ fill: UInt8) {
    for count in stride(from: 24, through: 1032, by: 16) {
      let pieces = (0..<16).map { _ in malloc(count) }
      for piece in pieces {
        if let piece { memset(piece, Int32(fill), count) }
      }
      for piece in pieces { free(piece) }
    }
  }
}
