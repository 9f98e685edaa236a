import FrostglassCore
import FrostglassStills
import TestSupport
import Testing

/// Files whose data are cut, lost or altered, and which libraries decode all the same.
@Suite struct DamagedDataTests {
  private enum Outcome: Equatable {
    case read([UInt8], remarks: [String])
    case damaged(String)
    case other(DecodeError)
  }

  private static func outcome(_ file: [UInt8]) -> Outcome {
    do throws(DecodeError) {
      let reader = try StillDecoder().reader(of: .bytes(file))
      let bytes = try reader.image().bytes
      return .read(bytes, remarks: reader.finalHeader.remarks)
    } catch {
      if case .damaged(_, let reason) = error { return .damaged(reason) }
      return .other(error)
    }
  }

  private static func pixels(_ file: [UInt8]) throws -> [UInt8] {
    try StillDecoder().decode(.bytes(file)).image.bytes
  }

  /// Returns the start of the last scan's data.
  private static func lastScan(_ file: [UInt8]) throws -> Int {
    try #require(file.indices.dropLast().last { file[$0] == 0xFF && file[$0 + 1] == 0xDA }) + 8
  }

  private static let jpegs = [
    SmallFiles.baseline, SmallFiles.restarts, SmallFiles.progressive, SmallFiles.gray,
    SmallFiles.cmyk,
  ]

  @Test(arguments: jpegs) func aJPEGThatIsWholeHasNoRemarks(file: [UInt8]) throws {
    #expect(Self.outcome(file) == .read(try Self.pixels(file), remarks: []))
  }

  /// The file is damaged with or without a marker at its end.
  @Test(arguments: jpegs) func aJPEGThatLacksAByteOfItsDataIsDamaged(file: [UInt8]) throws {
    let whole = try Self.pixels(file)
    for missing in 1...2 {
      #expect(Self.outcome(file.dropLast(missing)) == .read(whole, remarks: []))
    }
    let end = file.count - 2
    for count in stride(from: end - 1, to: try Self.lastScan(file) + 5, by: -3) {
      for cut in [Array(file[..<count]), file[..<count] + [0xFF, 0xD9]] {
        // A byte of the data that is FF, and the 0 behind it, are parted.
        guard file[count - 1] != 0xFF else { continue }
        guard case .damaged = Self.outcome(cut) else {
          Issue.record("\(count) of \(file.count) bytes: \(Self.outcome(cut))")
          return
        }
      }
    }
  }

  /// Ones alone are no code of any table.
  @Test(arguments: [SmallFiles.baseline, SmallFiles.gray, SmallFiles.cmyk])
  func aJPEGWithCodesThatAreNoneIsDamaged(file: [UInt8]) throws {
    var broken = file
    let place = try Self.lastScan(file) + 20
    for index in 0..<6 { broken[place + index] = index % 2 == 0 ? 0xFF : 0 }
    #expect(Self.outcome(broken) == .damaged("Corrupt JPEG data: bad Huffman code"))
  }

  /// A scan of some bytes goes through all pixels.
  @Test func aJPEGOfHundredsOfScansIsRefused() throws {
    let file = SmallFiles.progressive
    let first = try #require(file.indices.first { file[$0...].starts(with: [0xFF, 0xDA]) })
    let next = try #require(
      file.indices.dropLast().first {
        $0 > first + 2 && file[$0] == 0xFF && file[$0 + 1] != 0
          && !(0xD0...0xD7).contains(file[$0 + 1])
      })
    let scans = (0..<300).flatMap { _ in file[first..<next] }
    let many: [UInt8] = file[..<next] + scans + file[next...]
    let error = #expect(throws: DecodeError.self) { try StillDecoder().decode(.bytes(many)) }
    #expect("\(String(describing: error))".contains("more than 200 scans"))
  }

  @Test func aJPEGWhoseRestartsAreLostOrInDisorderIsDamaged() throws {
    let file = SmallFiles.restarts
    let places = file.indices.dropLast().filter {
      file[$0] == 0xFF && (0xD0...0xD7).contains(file[$0 + 1])
    }
    #expect(places.count > 4)
    for place in places {
      var other = file
      other[place + 1] = 0xD0 + (other[place + 1] + 3) % 8
      for broken in [Array(file[..<place] + file[(place + 2)...]), other] {
        guard case .damaged = Self.outcome(broken) else {
          Issue.record("the restart at \(place)")
          return
        }
      }
    }
  }

  /// Surplus data costs no pixel, but is a sign of damage.
  @Test func aJPEGWithMoreDataThanItsPixelsTakeIsReadAndRemarked() throws {
    let file = SmallFiles.baseline
    let table = try #require(file.indices.first { file[$0...].starts(with: [0xFF, 0xC4]) })
    let others = [
      file[..<table] + [0, 1, 2] + file[table...],
      file.dropLast(2) + [UInt8](repeating: 0x5A, count: 40) + [0xFF, 0xD9],
    ]
    for other in others {
      guard case .read(let bytes, let remarks) = Self.outcome(Array(other)) else {
        Issue.record("\(Self.outcome(Array(other)))")
        continue
      }
      #expect(try bytes == Self.pixels(file))
      #expect(remarks.count == 1)
      #expect(
        remarks.first?.hasPrefix(
          "was read to its end and may still be damaged (Corrupt JPEG data: ") == true)
    }
  }

  @Test func aSmallerCopyOfACutJPEGIsDamaged() throws {
    let picture = TestImage.ramp(.rgb8, width: 301, height: 203)
    let file = try StillEncoder().encode(picture, as: .jpeg)
    let size = Size(width: 30, height: 20)
    let whole = try StillDecoder().reader(of: .bytes(file)).image(scaledTo: size, .sharp)
    #expect(whole.size == size)
    let cut = try StillDecoder().reader(of: .bytes(file.dropLast(5) + [0xFF, 0xD9]))
    #expect(throws: DecodeError.self) { try cut.image(scaledTo: size, .sharp) }
  }

  /// Returns the position of the length of the only strip, in a TIFF directory by Pillow.
  private static func stripLength(_ file: [UInt8]) throws -> Int {
    try #require(file.indices.first { file[$0...].starts(with: [0x17, 1, 4, 0, 1, 0, 0, 0]) }) + 8
  }

  @Test(arguments: [SmallFiles.fax, SmallFiles.jpegTIFF], [6, 9, 20])
  func aTIFFWhoseStripIsCutIsRemarked(file: [UInt8], missing: Int) throws {
    #expect(Self.outcome(file) == .read(try Self.pixels(file), remarks: []))
    let place = try Self.stripLength(file)
    let length = Int(file[place]) | Int(file[place + 1]) << 8
    var cut = file
    (cut[place], cut[place + 1]) = (
      UInt8((length - missing) & 255), UInt8((length - missing) >> 8)
    )
    guard case .read(_, let remarks) = Self.outcome(cut) else {
      Issue.record("\(Self.outcome(cut))")
      return
    }
    #expect(remarks.count == 1)
    #expect(remarks.first?.hasPrefix("was read to its end and may still be damaged (") == true)
  }

  @Test func aFaxWithCodesThatAreNoneIsRemarked() throws {
    var silent = 0
    for place in 8..<30 {
      var broken = SmallFiles.fax
      broken[place] ^= 0x10
      if case .read(_, remarks: []) = Self.outcome(broken) { silent += 1 }
    }
    #expect(silent < 3)
  }

  @Test func aPNGOrGIFWithoutItsEndIsReadAndRemarked() throws {
    let png = try StillEncoder().encode(TestImage.ramp(.rgb8), as: .png)
    for missing in [1, 4, 12] {
      #expect(
        Self.outcome(png.dropLast(missing))
          == .read(
            try Self.pixels(png),
            remarks: ["lacks its end; an orientation behind its pixels may be missing"]))
    }
    #expect(Self.outcome(png) == .read(try Self.pixels(png), remarks: []))
    let gif = GIFFile.twoFrames
    #expect(
      try StillDecoder().header(of: .bytes(gif.dropLast())).remarks
        == ["lacks its end; frames may be missing"])
    #expect(try StillDecoder().header(of: .bytes(gif)).remarks.isEmpty)
  }

  @Test(arguments: [("255", "2", true), ("255", "99", false), ("7", "0", true), ("7", "3", false)])
  func aTextOfSamplesThatEndsWithADigitIsRemarked(most: String, last: String, lacks: Bool) throws {
    let file = Array("P2 2 1 \(most) 1 \(last)".utf8)
    let remarks = ["ends with its last sample, which may lack a digit"]
    #expect(try StillDecoder().header(of: .bytes(file)).remarks == (lacks ? remarks : []))
    #expect(try StillDecoder().header(of: .bytes(file + [10])).remarks.isEmpty)
  }
}
