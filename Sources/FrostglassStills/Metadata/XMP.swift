/// What becomes of a file's XMP packet.
enum XMP {
  /// Words of the schemas that put pictures into the packet, or point at more of it elsewhere.
  private static let refused = [
    "xmp:Thumbnails", "xap:Thumbnails", "xmpGImg", "xapGImg", "GImage:", "GDepth:",
    "HasExtendedXMP", "hdrgm:", "HDRGainMap:", "GContainer:", "Container:Directory",
  ]

  /// The packet with its orientation set to upright and without what may show the picture as it was
  /// before; `nil` where that may still be in it, or it is no UTF-8 text.
  static func safe(_ packet: [UInt8]) -> [UInt8]? {
    guard String(validating: packet, as: UTF8.self) != nil else { return nil }
    let edited = XMPEditor.withoutPictures(packet) ?? packet
    guard !refused.contains(where: { find($0, in: edited, from: 0) != nil }) else { return nil }
    return upright(edited)
  }

  /// Sets `tiff:Orientation="6"` and `<tiff:Orientation>6<` to 1.
  private static func upright(_ packet: [UInt8]) -> [UInt8] {
    var result = packet
    var start = 0
    while let end = find("tiff:Orientation", in: result, from: start) {
      let value = result[end...].prefix(8).firstIndex {
        (UInt8(ascii: "1")...UInt8(ascii: "8")) ~= $0
      }
      if let value { result[value] = UInt8(ascii: "1") }
      start = end
    }
    return result
  }

  /// The index behind the first occurrence of a word at or after `start`.
  private static func find(_ word: String, in bytes: [UInt8], from start: Int) -> Int? {
    let pattern = Array(word.utf8)
    guard bytes.count >= pattern.count else { return nil }
    let last = bytes.count - pattern.count
    guard start <= last else { return nil }
    return (start...last).first {
      bytes[$0] == pattern[0] && bytes[$0..<$0 + pattern.count].elementsEqual(pattern)
    }
    .map { $0 + pattern.count }
  }
}
