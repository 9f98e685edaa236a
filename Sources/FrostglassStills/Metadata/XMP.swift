internal import FrostglassCore

/// Functions that read a file's XMP packet and make it safe to keep.
enum XMP {
  /// Words of the schemas that put images into the packet, or point at more of it elsewhere.
  private static let refused = [
    "xmp:Thumbnails", "xap:Thumbnails", "xmpGImg", "xapGImg", "GImage:", "GDepth:",
    "HasExtendedXMP", "hdrgm:", "HDRGainMap:", "GContainer:", "Container:Directory", "GCamera:",
  ]

  /// Words of places in the image, for packets that are not understood.
  private static let places = ["RegionList", "stArea:", "MPReg:", "SubjectArea", "ImageRegion"]

  /// The packet with its orientation set to upright and without what may show the image as it was
  /// before; `nil` where that may still be in it, or it is no UTF-8 text.
  ///
  static func safe(_ packet: [UInt8]) -> [UInt8]? { safe(packet, turned: Orientation(1))?.packet }

  /// The same, and whether regions are left out that do not follow an image which is turned upright.
  static func safe(
    _ packet: [UInt8], turned orientation: Orientation
  ) -> (packet: [UInt8], lacksRegions: Bool)? {
    guard String(validating: packet, as: UTF8.self) != nil else { return nil }
    let edited = XMPTurn.turned(packet, orientation)
    let words = edited == nil && !orientation.isUpright ? refused + places : refused
    let result = edited?.packet ?? packet
    guard !words.contains(where: { find($0, in: result, from: 0) != nil }) else { return nil }
    return (upright(result), edited?.lacksRegions ?? false)
  }

  /// The orientation that a packet says the image has, 1…8.
  static func orientation(of packet: [UInt8]) -> Int? {
    let value: String?
    if let editor = XMPEditor(packet) {
      value = editor.values.first { $0.name == XMPNamespace.orientation }.map(editor.text)
    } else {
      let found = find("tiff:Orientation", in: packet, from: 0).flatMap {
        digit(behind: $0, packet)
      }
      value = found.map { String(decoding: packet[$0...$0], as: UTF8.self) }
    }
    return value.flatMap { Int($0.filter { !$0.isWhitespace }) }.flatMap {
      (1...8).contains($0) ? $0 : nil
    }
  }

  /// True if a packet says that a video follows the image: as Google's motion photos have it.
  static func announcesVideo(_ packet: [UInt8]) -> Bool {
    ["MotionPhoto", "MicroVideo"].contains { find($0, in: packet, from: 0) != nil }
  }

  /// The packet with what an extension of it, a packet of its own, says; `nil` where one of them has no
  /// place for it.
  static func joined(_ packet: [UInt8], _ extended: [UInt8]) -> [UInt8]? {
    let end = Array("</rdf:RDF>".utf8)
    guard let place = find("</rdf:RDF>", in: packet, from: 0),
      let start = find("<rdf:RDF", in: extended, from: 0),
      let open = extended[start...].firstIndex(of: UInt8(ascii: ">")),
      let close = find("</rdf:RDF>", in: extended, from: open)
    else { return nil }
    let more = extended[(open + 1)..<(close - end.count)]
    let joined = Array(packet[..<(place - end.count)]) + more + packet[(place - end.count)...]
    return XMPEditor(joined) == nil ? nil : joined
  }

  /// Sets `tiff:Orientation="6"` and `<tiff:Orientation>6<` to 1.
  private static func upright(_ packet: [UInt8]) -> [UInt8] {
    var result = packet
    var start = 0
    while let end = find("tiff:Orientation", in: result, from: start) {
      if let value = digit(behind: end, result) { result[value] = UInt8(ascii: "1") }
      start = end
    }
    return result
  }

  private static func digit(behind end: Int, _ packet: [UInt8]) -> Int? {
    packet[end...].prefix(8).firstIndex { (UInt8(ascii: "1")...UInt8(ascii: "8")) ~= $0 }
  }

  /// The index behind the first occurrence of a word at or after `start`.
  static func find(_ word: String, in bytes: [UInt8], from start: Int) -> Int? {
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
