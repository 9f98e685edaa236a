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

/// Takes out of an XMP packet what may show the picture as it was before, and leaves the rest as it is.
///
/// It reads as much XML as XMP has: elements, attributes, namespaces, comments and processing
/// instructions. A packet with anything else in it, such as a document type, is not edited.
struct XMPEditor {
  /// An element that has begun.
  private struct Element {
    var name: ArraySlice<UInt8>
    /// Namespaces by prefix.
    var namespaces: [String: String]
    /// Where it begins if it is taken out, and nothing around it is.
    var cut: Int?
  }

  /// An attribute of a start tag.
  private struct Attribute {
    var name: String
    var value: String
    /// With the space before it.
    var range: Range<Int>

    /// The prefix that a declaration of a namespace is for, empty for none; `nil` for other attributes.
    var declaredPrefix: String? {
      if name == "xmlns" { return "" }
      return name.hasPrefix("xmlns:") ? String(name.dropFirst(6)) : nil
    }
  }

  /// Namespaces of pictures in a packet: Adobe's thumbnails, Google's images and depth maps; and of what
  /// says how to use a picture that follows in the file and is not copied, such as an HDR gain map.
  private static let pictures: Set<String> = [
    "http://ns.adobe.com/xap/1.0/g/img/", "http://ns.google.com/photos/1.0/image/",
    "http://ns.google.com/photos/1.0/depthmap/", "http://ns.google.com/photos/1.0/container/",
    "http://ns.google.com/photos/1.0/container/item/", "http://ns.adobe.com/hdr-gain-map/1.0/",
    "http://ns.apple.com/HDRGainMap/1.0/",
  ]
  /// Single properties that hold pictures, or point at more of the packet elsewhere.
  private static let properties: Set<[String]> = [
    ["http://ns.adobe.com/xap/1.0/", "Thumbnails"],
    ["http://ns.adobe.com/xmp/note/", "HasExtendedXMP"],
  ]
  private static let mostDepth = 200
  private static let mostNamespaces = 256

  private let packet: [UInt8]
  private var place = 0
  private var open: [Element] = []
  private var cuts: [Range<Int>] = []

  private init(_ packet: [UInt8]) { self.packet = packet }

  /// The packet without pictures; `nil` where it cannot be told what is in it.
  static func withoutPictures(_ packet: [UInt8]) -> [UInt8]? {
    var editor = XMPEditor(packet)
    guard editor.read() else { return nil }
    var result: [UInt8] = []
    var end = 0
    for cut in editor.cuts.sorted(by: { $0.lowerBound < $1.lowerBound }) where cut.upperBound > end
    {
      result += packet[end..<max(cut.lowerBound, end)]
      end = cut.upperBound
    }
    return result + packet[end...]
  }

  private mutating func read() -> Bool {
    while let start = packet[place...].firstIndex(of: UInt8(ascii: "<")) {
      place = start
      let isRead: Bool
      if at("<?") {
        isRead = skip(to: "?>")
      } else if at("<!--") {
        isRead = skip(to: "-->")
      } else if at("<!") {
        isRead = false
      } else if at("</") {
        isRead = readEnd()
      } else {
        isRead = readStart()
      }
      guard isRead else { return false }
    }
    return open.isEmpty
  }

  private mutating func readEnd() -> Bool {
    place += 2
    let name = readName()
    skipSpace()
    guard take(">"), let element = open.popLast(), element.name == name else { return false }
    if let cut = element.cut { cuts.append(cut..<place) }
    return true
  }

  private mutating func readStart() -> Bool {
    let start = place
    place += 1
    let name = readName()
    guard !name.isEmpty, open.count < Self.mostDepth, let attributes = readAttributes() else {
      return false
    }
    let isEmpty = take("/")
    guard take(">") else { return false }
    var namespaces = open.last?.namespaces ?? ["xml": "http://www.w3.org/XML/1998/namespace"]
    for attribute in attributes {
      if let prefix = attribute.declaredPrefix { namespaces[prefix] = attribute.value }
    }
    // They are kept for each element that is open.
    guard namespaces.count <= Self.mostNamespaces,
      let own = qualified(String(decoding: name, as: UTF8.self), namespaces, isElement: true)
    else { return false }
    let isInside = open.contains { $0.cut != nil }
    let isCut = !isInside && Self.isRefused(own)
    if !isInside, !isCut {
      for attribute in attributes {
        if attribute.declaredPrefix != nil {
          if Self.pictures.contains(attribute.value) { cuts.append(attribute.range) }
          continue
        }
        guard let found = qualified(attribute.name, namespaces, isElement: false) else {
          return false
        }
        if Self.isRefused(found) { cuts.append(attribute.range) }
      }
    }
    if isEmpty {
      if isCut { cuts.append(start..<place) }
    } else {
      open.append(Element(name: name, namespaces: namespaces, cut: isCut ? start : nil))
    }
    return true
  }

  /// Namespace and name; `nil` where the prefix is not declared.
  private func qualified(
    _ name: String, _ namespaces: [String: String], isElement: Bool
  ) -> [String]? {
    let parts = name.split(separator: ":", omittingEmptySubsequences: false)
    switch parts.count {
    case 1: return [isElement ? namespaces[""] ?? "" : "", name]
    case 2: return namespaces[String(parts[0])].map { [$0, String(parts[1])] }
    default: return nil
    }
  }

  private static func isRefused(_ name: [String]) -> Bool {
    pictures.contains(name[0]) || properties.contains(name)
  }

  private mutating func readAttributes() -> [Attribute]? {
    var attributes: [Attribute] = []
    while true {
      let start = place
      skipSpace()
      guard place < packet.count else { return nil }
      if at("/") || at(">") { return attributes }
      let name = readName()
      skipSpace()
      guard start < place, !name.isEmpty, take("=") else { return nil }
      skipSpace()
      guard place < packet.count else { return nil }
      let quote = packet[place]
      guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
        let end = packet[(place + 1)...].firstIndex(of: quote)
      else { return nil }
      let value = packet[(place + 1)..<end]
      // A namespace spelled with character references would not be known again.
      guard !value.contains(UInt8(ascii: "<")) else { return nil }
      place = end + 1
      let attribute = Attribute(
        name: String(decoding: name, as: UTF8.self), value: String(decoding: value, as: UTF8.self),
        range: start..<place)
      if attribute.declaredPrefix != nil, value.contains(UInt8(ascii: "&")) { return nil }
      attributes.append(attribute)
    }
  }

  private mutating func readName() -> ArraySlice<UInt8> {
    let start = place
    while place < packet.count, !Self.endsName(packet[place]) { place += 1 }
    return packet[start..<place]
  }

  private static func endsName(_ byte: UInt8) -> Bool {
    byte <= 0x20 || Array("/><=\"'".utf8).contains(byte)
  }

  private mutating func skipSpace() {
    while place < packet.count, packet[place] <= 0x20 { place += 1 }
  }

  private func at(_ text: String) -> Bool { packet[place...].starts(with: text.utf8) }

  private mutating func take(_ text: String) -> Bool {
    guard at(text) else { return false }
    place += text.utf8.count
    return true
  }

  private mutating func skip(to text: String) -> Bool {
    let end = Array(text.utf8)
    while place + end.count <= packet.count {
      if packet[place..<place + end.count].elementsEqual(end) {
        place += end.count
        return true
      }
      place += 1
    }
    return false
  }
}
