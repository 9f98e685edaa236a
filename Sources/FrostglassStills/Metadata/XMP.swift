package import FrostglassCore

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

/// A region of an image that its XMP names, such as a face that a camera or a photo program marked.
///
/// Read are those of the Metadata Working Group (`mwg-rs:Regions`) and Microsoft's (`MP:RegionInfo`).
package struct XMPRegion: Sendable, Hashable {
  /// The kind in lower case, such as `face`, `pet`, `focus` or `barcode`; `face` of Microsoft's, which are of people.
  package var kind: String
  /// The left and top edge, the width and the height, as parts of the image's sides.
  package var box: [Double]

  /// The regions of an image, and the size that they are for.
  package struct List: Sendable, Hashable {
    /// One for each that the packet names.
    package var regions: [XMPRegion]
    /// The size of the image that they were made for; `nil` where the packet does not say.
    package var size: Size?
  }

  /// Reads the regions of a packet; `nil` where one of them cannot be understood.
  ///
  /// - Parameters:
  ///   - packet: of an upright image, as `StillMetadata` has it.
  ///   - size: the image's.
  package static func list(in packet: [UInt8], _ size: Size) -> List? {
    guard let editor = XMPEditor(packet) else { return nil }
    var list = List(regions: [])
    for value in editor.values where value.name == XMPNamespace.rectangle {
      let numbers = editor.text(of: value).split(separator: ",").compactMap { Self.number($0) }
      guard numbers.count == 4, let region = XMPRegion(kind: "face", numbers) else { return nil }
      list.regions.append(region)
    }
    let types = Dictionary(
      editor.values.filter { $0.name == [XMPNamespace.regions, "Type"] }.map {
        ($0.item, editor.text(of: $0).lowercased())
      }, uniquingKeysWith: { first, _ in first })
    let areas = editor.values.filter { $0.isInRegions && $0.name[0] == XMPNamespace.area }
    for (_, area) in Dictionary(grouping: areas, by: \.owner).sorted(by: { $0.key < $1.key }) {
      let kind = types[area[0].item] ?? "region"
      guard let region = XMPRegion(kind: kind, area, editor, size) else { return nil }
      list.regions.append(region)
    }
    // A region that says what it is, and not where.
    let placed = Set(areas.map(\.item))
    guard types.keys.allSatisfy(placed.contains) else { return nil }
    let said = editor.values.filter { $0.isInRegions && $0.name[0] == XMPNamespace.dimensions }
    guard !said.isEmpty else { return list }
    // What cannot be compared may be that of another image.
    guard let size = Self.size(said, editor) else { return nil }
    list.size = size
    return list
  }

  /// The size of the image that regions were made for; `nil` unless it is one size in whole pixels.
  private static func size(_ said: [XMPEditor.Value], _ editor: XMPEditor) -> Size? {
    func texts(_ name: String) -> Set<String> {
      Set(
        said.filter { $0.name[1] == name }.map { editor.text(of: $0).filter { !$0.isWhitespace } })
    }
    func side(_ name: String) -> Int? {
      guard let text = texts(name).first, texts(name).count == 1, let side = number(text[...]),
        side >= 1, side == side.rounded()
      else { return nil }
      return Int(side)
    }
    guard let width = side("w"), let height = side("h"),
      texts("unit").allSatisfy({ ["pixel", "pixels"].contains($0.lowercased()) })
    else { return nil }
    return Size(width: width, height: height)
  }

  /// - Returns: `nil` for an area that has no extent, such as a point, or is in pixels.
  private init?(
    kind: String, _ area: [XMPEditor.Value], _ editor: XMPEditor, _ size: Size
  ) {
    func text(_ name: String) -> String? {
      area.first { $0.name[1] == name }.map { editor.text(of: $0) }
    }
    func number(_ name: String) -> Double? { text(name).flatMap { Self.number($0[...]) } }
    guard text("unit") ?? "normalized" == "normalized", let x = number("x"), let y = number("y")
    else { return nil }
    let (width, height): (Double, Double)
    if let diameter = number("d") {
      // It is unspecified to which side it refers: the longer one covers more.
      let longest = Double(max(size.width, size.height))
      width = diameter * longest / Double(size.width)
      height = diameter * longest / Double(size.height)
    } else {
      guard let wide = number("w"), let high = number("h") else { return nil }
      (width, height) = (wide, high)
    }
    self.init(kind: kind, [x - width / 2, y - height / 2, width, height])
  }

  private init?(kind: String, _ box: [Double]) {
    guard box[2] > 0, box[3] > 0 else { return nil }
    (self.kind, self.box) = (kind, box)
  }

  private static func number(_ text: Substring) -> Double? {
    Double(text.filter { !$0.isWhitespace }).flatMap { $0.isFinite && abs($0) < 1e6 ? $0 : nil }
  }
}
