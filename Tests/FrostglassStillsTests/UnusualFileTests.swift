import Foundation
import FrostglassCore
import FrostglassStills
import TestSupport
import Testing

/// Files that are intact in their way, and files made to cost much.
@Suite struct UnusualFileTests {
  private static let image = TestImage.ramp(.rgb8, width: 60, height: 40)

  private func refuse(_ file: [UInt8]) -> DecodeError? {
    #expect(throws: DecodeError.self) { try StillDecoder().decode(.bytes(file)) }
  }

  @Test(arguments: [1, 2]) func aJPEGWithoutItsEndIsRead(missing: Int) throws {
    let file = try StillEncoder().encode(Self.image, as: .jpeg)
    let whole = try StillDecoder().decode(.bytes(file)).image
    let found = try StillDecoder().decode(.bytes(file.dropLast(missing))).image
    #expect(found.bytes == whole.bytes)
  }

  @Test(arguments: [3, 4, 6, 20, 100]) func aJPEGWithoutImageDataIsDamaged(missing: Int) throws {
    let file = try StillEncoder().encode(Self.image, as: .jpeg)
    guard case .damaged = refuse(file.dropLast(missing)) else {
      Issue.record("a JPEG without its last \(missing) bytes")
      return
    }
  }

  /// libjpeg fills up with gray what it lacks, and an end marker hides that.
  @Test(arguments: [20, 40, 60]) func aJPEGThatWasCutAndEndedIsDamaged(missing: Int) throws {
    let file = try StillEncoder().encode(Self.image, as: .jpeg)
    guard case .damaged = refuse(file.dropLast(2 + missing) + [0xFF, 0xD9]) else {
      Issue.record("a JPEG without \(missing) bytes before its end")
      return
    }
  }

  /// A scan that was cut, of an image whose other scans are whole.
  @Test func aProgressiveJPEGThatWasCutAndEndedIsDamaged() throws {
    guard case .damaged = refuse(Self.progressive.dropLast(6) + [0xFF, 0xD9]) else {
      Issue.record("a progressive JPEG without its last bytes")
      return
    }
  }

  @Test func aJPEGThatLibjpegWarnsOfWithoutReasonIsRead() throws {
    let file = try StillEncoder().encode(Self.image, as: .jpeg)
    let whole = try StillDecoder().decode(.bytes(file)).image
    let table = try #require(file.indices.first { file[$0...].starts(with: [0xFF, 0xDB]) })
    let others = [
      Array(file[..<table] + [0, 1, 2] + file[table...]),
      Array(file.dropLast(2)) + [0, 0, 0xFF, 0xD9],
    ]
    for other in others {
      #expect(try StillDecoder().decode(.bytes(other)).image.bytes == whole.bytes)
    }
    // The gray of an image is none that was filled up.
    let gray = TestImage.constant(128 / 255, .rgb8)
    let saved = try StillEncoder().encode(gray, as: .jpeg)
    #expect(try StillDecoder().decode(.bytes(saved)).image.size == gray.size)
  }

  /// A progressive JPEG of 16×16 gray pixels.
  private static let progressive = [UInt8](
    Data(
      base64Encoded: """
        /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRT
        c4UG1RV19iZ2hnPk1xeXBkeFxlZ2P/wgALCAAQABABAREA/8QAFAABAAAAAAAAAAAAAAAAAAAABf/aAAgBAQAAAAE5
        8Zr/xAAXEAEBAQEAAAAAAAAAAAAAAAABAwAS/9oACAEBAAEFAomiaJh4l//EABkQAAIDAQAAAAAAAAAAAAAAAAECAB
        ARQf/aAAgBAQAGPwK2YcGz/8QAGBAAAwEBAAAAAAAAAAAAAAAAAAExEXH/2gAIAQEAAT8hgQIDEZa9N4f/2gAIAQEA
        AAAQr//EABkQAQACAwAAAAAAAAAAAAAAAAEAEBEhkf/aAAgBAQABPxC9s1AeDSiTPJ//2Q==
        """, options: .ignoreUnknownCharacters) ?? Data())

  /// One that lacks scans is as whole to libjpeg as one that lacks its end alone.
  @Test func aProgressiveJPEGWithoutItsLastScanIsDamaged() throws {
    let file = Self.progressive
    let whole = try StillDecoder().decode(.bytes(file)).image
    for missing in [1, 2] {
      #expect(try StillDecoder().decode(.bytes(file.dropLast(missing))).image.bytes == whole.bytes)
    }
    let scans = file.indices.dropLast().filter { file[$0] == 0xFF && file[$0 + 1] == 0xDA }
    let last = try #require(scans.last)
    #expect(scans.count > 2)
    guard case .damaged = refuse(Array(file[..<last])) else {
      Issue.record("a JPEG without its last scan")
      return
    }
  }

  @Test(arguments: [
    (UInt8(0xC1), UInt8(12), "a JPEG with 12-bit samples"), (0xC3, 8, "a lossless JPEG"),
    (0xC5, 8, "a hierarchical JPEG"),
  ])
  func kindsOfJPEGThatAreNotReadAreNamed(marker: UInt8, bits: UInt8, words: String) throws {
    var file = try StillEncoder().encode(Self.image, as: .jpeg)
    let frame = try #require(
      file.indices.first { file[$0...].starts(with: [0xFF, 0xC0, 0, 17, 8]) })
    (file[frame + 1], file[frame + 4]) = (marker, bits)
    #expect(refuse(file) == .unsupportedKind(name: "the given bytes", found: words))
  }

  @Test func aPNGOfApplesDevicesIsNamed() throws {
    let file = try StillEncoder().encode(Self.image, as: .png)
    let error = refuse(Array(file[..<8]) + PNGFile.chunk("CgBI", [0x50, 0, 0x20, 6]) + file[8...])
    guard case .unsupportedKind(_, let found) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(found.contains("CgBI"))
  }

  private static func png(_ chunks: [UInt8]) throws -> [UInt8] {
    let file = try StillEncoder().encode(image, as: .png)
    return Array(file[..<33]) + chunks + file[33...]
  }

  @Test(arguments: ["tEXt", "zTXt", "iTXt", "eXIf", "iCCP", "juNK"])
  func aChunkThatClaimsMoreThanThereIsIsDamage(kind: String) throws {
    let claim: [UInt8] = [0x7F, 0xFF, 0xFF, 0xF0] + Array(kind.utf8) + Array("Comment\0".utf8)
    guard case .damaged(_, let reason) = refuse(try Self.png(claim)) else {
      Issue.record("\(kind) is taken")
      return
    }
    #expect(reason == "its chunk \(kind) of 2147483632 bytes is cut off")
  }

  /// 4 MB of zeros as zlib has them.
  private static let zeros = PNGBomb.zlibZeros(4 << 20)

  @Test(arguments: [true, false]) func textsThatExpandWithoutEndAreRefused(isLatin: Bool) throws {
    let head = Array("Comment".utf8) + (isLatin ? [0, 0] : [0, 1, 0, 0, 0])
    let chunk = PNGFile.chunk(isLatin ? "zTXt" : "iTXt", head + Self.zeros)
    let some = try Self.png([[UInt8]](repeating: chunk, count: 2).flatMap { $0 })
    let still = try StillDecoder().decode(.bytes(some))
    #expect(still.image.bytes == Self.image.bytes)
    let many = try Self.png([[UInt8]](repeating: chunk, count: 12).flatMap { $0 })
    guard case .unsupportedKind(_, let found) = refuse(many) else {
      Issue.record("48 MB of texts are taken")
      return
    }
    #expect(found.contains("32 MiB"))
  }

  private static let motion =
    "xmlns:GCamera='http://ns.google.com/photos/1.0/camera/' "
    + "xmlns:dc='http://purl.org/dc/elements/1.1/' dc:title='Holiday' "

  @Test(arguments: [
    "GCamera:MotionPhoto='1' GCamera:MotionPhotoVersion='1'",
    "GCamera:MicroVideo='1' GCamera:MicroVideoOffset='2132'",
  ])
  func aMotionPhotosVideoIsMissedAndNothingAnnouncesIt(words: String) throws {
    let packet = LateOrientationTests.packet(Self.motion + words)
    let file = try LateOrientationTests.jpeg(packet) + Array("\0\0\0\u{10}ftypisom".utf8)
    let metadata = try StillDecoder().decode(.bytes(file)).metadata
    #expect(metadata.leftOut(by: .jpeg) == ["video of the motion photo"])
    let kept = try #require(metadata.xmp)
    #expect(kept.contains(text: "Holiday") && !kept.contains(text: "GCamera"))
    #expect(!kept.contains(text: "MicroVideo") && !kept.contains(text: "MotionPhoto"))
  }

  /// Samsung's list of what follows an image: one entry, of the kind of a video.
  @Test func aVideoThatTheLastBytesListIsMissed() throws {
    let name = Array("MotionPhoto_Data".utf8)
    let little = { (value: Int, count: Int) in TIFFFile.little(value, count) }
    let data = little(0, 2) + little(0x0A30, 2) + little(name.count, 4) + name + [1, 2, 3, 4]
    let list =
      Array("SEFH".utf8) + little(107, 4) + little(1, 4) + little(0, 2) + little(0x0A30, 2)
      + little(data.count, 4) + little(data.count, 4)
    let plain = try StillEncoder().encode(Self.image, as: .jpeg)
    let file = plain + data + list + little(list.count, 4) + Array("SEFT".utf8)
    let metadata = try StillDecoder().decode(.bytes(file)).metadata
    #expect(metadata.leftOut(by: .png) == ["video of the motion photo"])
  }

  private static let name = "B8E6B8F3B4FF63E69476BC23349DF09A"

  /// A JPEG with a packet whose description is in parts of an extension.
  private static func extended(_ text: String, parts: Int, lacking: Int? = nil) throws -> [UInt8] {
    let more = LateOrientationTests.packet(
      "", "<dc:description xmlns:dc='http://purl.org/dc/elements/1.1/'>\(text)</dc:description>")
    var file = try StillEncoder().encode(image, as: .jpeg)
    let each = (more.count + parts - 1) / parts
    for part in 0..<parts where part != lacking {
      let start = part * each
      file = JPEGFile.inserting(
        0xE1,
        Array("http://ns.adobe.com/xmp/extension/\0\(name)".utf8)
          + PNGFile.bigEndian32(more.count) + PNGFile.bigEndian32(start)
          + more[start..<min(start + each, more.count)], into: file)
    }
    let packet = LateOrientationTests.packet(
      "xmlns:xmpNote='http://ns.adobe.com/xmp/note/' xmpNote:HasExtendedXMP='\(name)' "
        + "xmp:Rating='4'")
    return JPEGFile.inserting(0xE1, MetadataTests.xmpHead + packet, into: file)
  }

  @Test(arguments: [1, 3]) func extendedXMPIsKept(parts: Int) throws {
    let file = try Self.extended("Long description", parts: parts)
    #expect(try StillDecoder().decode(.bytes(file)).metadata.leftOut(by: .jpeg).isEmpty)
    let saved = try MetadataTests.saved(file, as: .jpeg)
    #expect(saved.contains(text: "Long description") && saved.contains(text: "Rating='4'"))
    #expect(!saved.contains(text: "HasExtendedXMP"))
  }

  @Test func extendedXMPThatCannotBeKeptIsNamed() throws {
    let long = String(repeating: "word ", count: 20_000)
    for file in [
      try Self.extended("Long description", parts: 3, lacking: 1),
      try Self.extended(long, parts: 3),
    ] {
      let metadata = try StillDecoder().decode(.bytes(file)).metadata
      #expect(metadata.leftOut(by: .jpeg) == ["extended XMP"])
      #expect(metadata.xmp?.contains(text: "Rating='4'") == true)
      #expect(metadata.xmp?.contains(text: "HasExtendedXMP") == false)
    }
  }

  @Test func privateTagsOfAProfileAreStripped() throws {
    let profile = ICCProfile.displayP3
    let secret = Array("data\0\0\0\0SERIAL".utf8) + [0, 0]
    var count = Int(profile[131]) + 1
    let end = profile.count + 12
    var table: [UInt8] = []
    for index in 0..<count - 1 {
      let place = 132 + 12 * index
      let offset = profile[place + 4..<place + 8].reduce(0) { $0 << 8 | Int($1) }
      table +=
        profile[place..<place + 4] + PNGFile.bigEndian32(offset + 12)
        + profile[place + 8..<place + 12]
    }
    table += Array("SECR".utf8) + PNGFile.bigEndian32(end) + PNGFile.bigEndian32(secret.count)
    var more = Array(profile[..<128]) + PNGFile.bigEndian32(count) + table
    more += profile[(132 + 12 * (count - 1))...] + secret
    more.replaceSubrange(0..<4, with: PNGFile.bigEndian32(more.count))
    count -= 1
    let metadata = StillMetadata(iccProfile: more)
    let kept = try #require(metadata.stripped.iccProfile)
    #expect(metadata.iccProfile?.contains(text: "SERIAL") == true)
    #expect(!kept.contains(text: "SERIAL") && !kept.contains(text: "SECR"))
    #expect(Int(kept[131]) == count)
    // It still means the same colors.
    func decoded(_ profile: [UInt8]) throws -> [UInt8] {
      let file = try StillEncoder().encode(
        Self.image, metadata: StillMetadata(iccProfile: profile), as: .png)
      return try StillDecoder().decode(.bytes(file)).image.bytes
    }
    #expect(try decoded(kept) == decoded(profile))
    #expect(try decoded(kept) != Self.image.bytes)
  }
}
