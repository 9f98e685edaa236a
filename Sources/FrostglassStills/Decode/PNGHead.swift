internal import CVips
internal import FrostglassCore

/// The chunks of a PNG before its picture, which libpng reads at once: it takes memory for as much as a
/// chunk claims to have, and expands up to 1000 texts of 8 MB.
enum PNGHead {
  /// Bytes that texts may have in all, expanded.
  static let mostText = 32 << 20
  /// Bytes that chunks which libpng keeps may have in all, as they are stored.
  static let mostStored = 64 << 20
  /// Bytes to which libpng expands a chunk at most.
  private static let mostExpanded = 8_000_000

  /// Refuses what would take much more memory and time than a picture does.
  ///
  /// - Parameter file: all of it.
  static func check(_ file: UnsafeRawBufferPointer, name: String) throws(DecodeError) {
    var place = PNGChunk.signature.count
    var (stored, text) = (0, 0)
    var room: [UInt8] = []
    while let length = ByteOrder.big.number(file, at: place, bytes: 4), place + 8 <= file.count {
      let kind = String(decoding: file[place + 4..<place + 8], as: UTF8.self)
      if kind == "IDAT" || kind == "IEND" { return }
      if kind == "CgBI" {
        throw .unsupportedKind(name: name, found: "a PNG in the form of Apple's devices (CgBI)")
      }
      let content = place + 8..<place + 8 + length
      guard content.upperBound + 4 <= file.count else {
        throw .damaged(name: name, reason: "its chunk \(kind.plain) of \(length) bytes is cut off")
      }
      if PNGText.kinds.contains(kind) || ["iCCP", "eXIf", "sPLT"].contains(kind) {
        stored += length
      }
      if PNGText.kinds.contains(kind) { text += expanded(kind, file[content], &room) }
      let (found, most) = text > mostText ? (text, mostText) : (stored, mostStored)
      guard found <= most else {
        throw .unsupportedKind(
          name: name,
          found: "a PNG with \(ByteCount(found)) of texts and other data before its picture, more "
            + "than the \(ByteCount(most)) that are taken")
      }
      place = content.upperBound + 4
    }
  }

  /// How many bytes a text has once libpng expanded it.
  private static func expanded(
    _ kind: String, _ content: Slice<UnsafeRawBufferPointer>, _ room: inout [UInt8]
  ) -> Int {
    guard kind != "tEXt", let end = content.firstIndex(of: 0) else { return content.count }
    var rest = content[content.index(after: end)...]
    if kind == "zTXt" {
      rest = rest.dropFirst()
    } else {
      guard rest.first == 1 else { return content.count }
      rest = rest.dropFirst(2)
      for _ in 0..<2 {
        guard let end = rest.firstIndex(of: 0) else { return content.count }
        rest = rest[rest.index(after: end)...]
      }
    }
    if room.isEmpty { room = [UInt8](repeating: 0, count: mostExpanded) }
    let data = UnsafeRawBufferPointer(rebasing: rest)
    let count = room.withUnsafeMutableBytes {
      fg_inflate(data.baseAddress, data.count, $0.baseAddress, $0.count)
    }
    // What is broken or longer was expanded all the same, up to there.
    return content.count + (count < 0 ? mostExpanded : Int(count))
  }
}

extension String {
  /// The letters of it that are plain ones.
  fileprivate var plain: String { filter { $0.isASCII && ($0.isLetter || $0.isNumber) } }
}
