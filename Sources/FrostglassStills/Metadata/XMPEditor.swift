internal import FrostglassCore

/// Takes out of an XMP packet what may show the image as it was before, and leaves the rest as it is.
///
/// It reads as much XML as XMP has: elements, attributes, namespaces, comments and processing
/// instructions. A packet with anything else in it, such as a document type, is not edited.
///
/// A library's parser does not take its place: edits are made where attributes stand, so that all else stays byte
/// for byte, and neither GLib nor expat nor libxml2 tells where that is.
struct XMPEditor {
  /// An element that has begun.
  private struct Element {
    var name: ArraySlice<UInt8>
    /// Namespaces by prefix.
    var namespaces: [String: String]
    /// Tells it from all others.
    var id: Int
    /// Namespace and name.
    var qualified: [String]
    /// The start of its text if it is removed and no element around it is.
    var cut: Int?
    /// The start of its content, as long as it has no child elements.
    var content: Int?
  }

  /// The text of an attribute, or of an element without others in it.
  struct Value {
    /// Namespace and name.
    let name: [String]
    let range: Range<Int>
    /// The element that it is a property of.
    let owner: Int
    /// The element of a list that it is in, the innermost; 0 outside of lists.
    let item: Int
    /// True if it is within regions as the Metadata Working Group has them.
    let isInRegions: Bool
  }

  /// An attribute of a start tag.
  private struct Attribute {
    var name: String
    var value: String
    /// With the space before it.
    var range: Range<Int>
    /// Between the quotes.
    var content: Range<Int>

    /// The prefix that a declaration of a namespace is for, empty for none; `nil` for other attributes.
    var declaredPrefix: String? {
      if name == "xmlns" { return "" }
      return name.hasPrefix("xmlns:") ? String(name.dropFirst(6)) : nil
    }
  }

  /// Namespaces of images in a packet: Adobe's thumbnails, Google's images and depth maps; and of what
  /// says how to use an image or a video that follows in the file and is not copied, such as an HDR gain
  /// map or the video of a motion photo.
  private static let pictures: Set<String> = [
    "http://ns.adobe.com/xap/1.0/g/img/", "http://ns.google.com/photos/1.0/image/",
    "http://ns.google.com/photos/1.0/depthmap/", "http://ns.google.com/photos/1.0/container/",
    "http://ns.google.com/photos/1.0/container/item/", "http://ns.adobe.com/hdr-gain-map/1.0/",
    "http://ns.apple.com/HDRGainMap/1.0/", "http://ns.google.com/photos/1.0/camera/",
  ]
  /// Single properties that hold images, or point at more of the packet elsewhere.
  private static let properties: Set<[String]> = [
    ["http://ns.adobe.com/xap/1.0/", "Thumbnails"],
    ["http://ns.adobe.com/xmp/note/", "HasExtendedXMP"],
  ]
  private static let mostDepth = 200
  private static let mostNamespaces = 256

  private let packet: [UInt8]
  private var place = 0
  private var open: [Element] = []
  private var edits: [(range: Range<Int>, text: [UInt8])] = []
  private var elements = 0
  /// Properties that go although they show nothing.
  private let dropped: Set<[String]>
  /// All texts that stay.
  private(set) var values: [Value] = []
  /// True if one of those properties was there.
  private(set) var hasDropped = false

  /// Reads a packet, and takes out what may show the image as it was; `nil` where it cannot be told what
  /// is in it.
  ///
  /// - Parameter dropped: other properties that go, by namespace and name.
  init?(_ packet: [UInt8], dropping dropped: Set<[String]> = []) {
    self.packet = packet
    self.dropped = dropped
    guard read() else { return nil }
  }

  /// The text of a value.
  func text(of value: Value) -> String {
    String(decoding: packet[value.range], as: UTF8.self)
  }

  /// Has another text written in the place of a value.
  mutating func replace(_ value: Value, with text: String) {
    edits.append((value.range, Array(text.utf8)))
  }

  /// The packet as edited.
  var result: [UInt8] {
    var result: [UInt8] = []
    var end = 0
    for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound })
    where edit.range.upperBound > end {
      result += packet[end..<max(edit.range.lowerBound, end)] + edit.text
      end = edit.range.upperBound
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
    let start = place
    place += 2
    let name = readName()
    skipSpace()
    guard take(">"), let element = open.popLast(), element.name == name else { return false }
    if let cut = element.cut {
      edits.append((cut..<place, []))
    } else if let content = element.content, let owner = open.last?.id {
      add(element.qualified, content..<start, owner, element.qualified)
    }
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
    let isCut = !isInside && isRefused(own)
    elements += 1
    if !open.isEmpty { open[open.count - 1].content = nil }
    if !isInside, !isCut {
      for attribute in attributes {
        if attribute.declaredPrefix != nil {
          if Self.pictures.contains(attribute.value) { edits.append((attribute.range, [])) }
          continue
        }
        guard let found = qualified(attribute.name, namespaces, isElement: false) else {
          return false
        }
        if isRefused(found) {
          edits.append((attribute.range, []))
        } else {
          add(found, attribute.content, elements, own)
        }
      }
    }
    if isEmpty {
      if isCut { edits.append((start..<place, [])) }
    } else {
      open.append(
        Element(
          name: name, namespaces: namespaces, id: elements, qualified: own,
          cut: isCut ? start : nil, content: isInside || isCut ? nil : place))
    }
    return true
  }

  /// - Parameter element: the name of the element that the value is of.
  private mutating func add(
    _ name: [String], _ range: Range<Int>, _ owner: Int, _ element: [String]
  ) {
    let isInRegions = open.contains { $0.qualified[0] == XMPNamespace.regions }
    let item =
      element == Self.listItem
      ? owner : open.last { $0.qualified == Self.listItem }?.id ?? 0
    values.append(
      Value(name: name, range: range, owner: owner, item: item, isInRegions: isInRegions))
  }

  private static let listItem = ["http://www.w3.org/1999/02/22-rdf-syntax-ns#", "li"]

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

  private mutating func isRefused(_ name: [String]) -> Bool {
    if dropped.contains(name) {
      hasDropped = true
      return true
    }
    return Self.pictures.contains(name[0]) || Self.properties.contains(name)
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
        range: start..<place, content: end - value.count..<end)
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

/// Namespaces and properties of XMP that say where something is in an image, or how large that is.
enum XMPNamespace {
  static let orientation = ["http://ns.adobe.com/tiff/1.0/", "Orientation"]
  /// Regions as the Metadata Working Group has them.
  static let regions = "http://www.metadataworkinggroup.com/schemas/regions/"
  /// Areas of those: a center, and width and height, in fractions.
  static let area = "http://ns.adobe.com/xmp/sType/Area#"
  /// Sizes of images.
  static let dimensions = "http://ns.adobe.com/xap/1.0/sType/Dimensions#"
  static let exif = "http://ns.adobe.com/exif/1.0/"
  static let tiff = "http://ns.adobe.com/tiff/1.0/"
  /// A rectangle of Microsoft's regions: left, top, width, height, in fractions.
  static let rectangle = ["http://ns.microsoft.com/photo/1.2/t/Region#", "Rectangle"]
}

/// Has regions and sizes in an XMP packet follow an image that is turned upright.
struct XMPTurn {
  /// Places that do not follow, and are left out of a packet of a turned image.
  private static let unfollowed: Set<[String]> = [
    [XMPNamespace.exif, "SubjectArea"], [XMPNamespace.exif, "SubjectLocation"],
    ["http://iptc.org/std/Iptc4xmpExt/2008-02-29/", "ImageRegion"],
    ["http://ns.acdsee.com/regions/", "Regions"],
  ]
  /// Regions that follow as long as they are understood.
  private static let regions: Set<[String]> = [
    [XMPNamespace.regions, "Regions"], ["http://ns.microsoft.com/photo/1.2/", "RegionInfo"],
  ]

  private var editor: XMPEditor
  private let orientation: Orientation

  /// The packet of an image after it is turned upright, without images in it, and whether regions are left out
  /// as they do not follow; `nil` where it cannot be told what is in it.
  static func turned(
    _ packet: [UInt8], _ orientation: Orientation
  ) -> (packet: [UInt8], lacksRegions: Bool)? {
    guard var editor = XMPEditor(packet, dropping: orientation.isUpright ? [] : unfollowed) else {
      return nil
    }
    editor.setUpright()
    guard !orientation.isUpright else { return (editor.result, false) }
    var turn = XMPTurn(editor: editor, orientation: orientation)
    if turn.follow() { return (turn.editor.result, editor.hasDropped) }
    guard var rest = XMPEditor(packet, dropping: unfollowed.union(regions)) else { return nil }
    rest.setUpright()
    turn = XMPTurn(editor: rest, orientation: orientation)
    turn.swapSides()
    return (turn.editor.result, rest.hasDropped)
  }

  /// Sizes of the image.
  private static let sizes: Set<[String]> = [
    [XMPNamespace.tiff, "ImageWidth"], [XMPNamespace.tiff, "ImageLength"],
    [XMPNamespace.exif, "PixelXDimension"], [XMPNamespace.exif, "PixelYDimension"],
  ]

  /// The packet of an image that gets another size, without places in it and its size, and whether regions are
  /// left out; `nil` where it cannot be told what is in it.
  static func resized(_ packet: [UInt8]) -> (packet: [UInt8], lacksRegions: Bool)? {
    guard let places = XMPEditor(packet, dropping: unfollowed.union(regions)),
      let result = XMPEditor(places.result, dropping: sizes)?.result
    else { return nil }
    return (result, places.hasDropped)
  }

  /// Turns regions and sizes. Returns true if all regions were understood.
  private mutating func follow() -> Bool {
    swapSides()
    for value in editor.values where value.name == XMPNamespace.rectangle {
      let numbers = editor.text(of: value).split(separator: ",").map(Self.number)
      guard numbers.count == 4, let x = numbers[0], let y = numbers[1], let width = numbers[2],
        let height = numbers[3]
      else { return false }
      let center = orientation.point(x + width / 2, y + height / 2)
      let (wide, high) = orientation.isTransposed ? (height, width) : (width, height)
      let turned = [center.x - wide / 2, center.y - high / 2, wide, high]
      editor.replace(value, with: turned.map(Self.text).joined(separator: ", "))
    }
    let areas = editor.values.filter { $0.name[0] == XMPNamespace.area }
    return Dictionary(grouping: areas, by: \.owner).values.allSatisfy { follow($0) }
  }

  /// Turns one area, which may be a point or a circle.
  private mutating func follow(_ area: [XMPEditor.Value]) -> Bool {
    func part(_ name: String) -> XMPEditor.Value? { area.first { $0.name[1] == name } }
    func number(_ name: String) -> Double? {
      part(name).flatMap { Self.number(editor.text(of: $0)[...]) }
    }
    let unit = part("unit").map { editor.text(of: $0) } ?? "normalized"
    guard unit == "normalized", let x = number("x"), let y = number("y") else { return false }
    let center = orientation.point(x, y)
    set(part("x"), center.x)
    set(part("y"), center.y)
    guard orientation.isTransposed, let width = part("w"), let height = part("h") else {
      return part("w") == nil || part("h") != nil
    }
    swap(width, height)
    return true
  }

  /// Has sizes of the image follow.
  private mutating func swapSides() {
    guard orientation.isTransposed else { return }
    let pairs = [
      (XMPNamespace.dimensions, "w", "h"), (XMPNamespace.tiff, "ImageWidth", "ImageLength"),
      (XMPNamespace.exif, "PixelXDimension", "PixelYDimension"),
    ]
    for (namespace, first, second) in pairs {
      // Elsewhere those of regions may be of a page.
      let sides = editor.values.filter {
        $0.name[0] == namespace && (namespace != XMPNamespace.dimensions || $0.isInRegions)
      }
      let heights = Dictionary(
        sides.filter { $0.name[1] == second }.map { ($0.owner, $0) }, uniquingKeysWith: { $1 })
      for width in sides where width.name[1] == first {
        if let height = heights[width.owner] { swap(width, height) }
      }
    }
  }

  private mutating func swap(_ one: XMPEditor.Value, _ other: XMPEditor.Value) {
    let (first, second) = (editor.text(of: one), editor.text(of: other))
    guard Self.number(first[...]) != nil, Self.number(second[...]) != nil else { return }
    editor.replace(one, with: second)
    editor.replace(other, with: first)
  }

  private mutating func set(_ value: XMPEditor.Value?, _ number: Double) {
    if let value { editor.replace(value, with: Self.text(number)) }
  }

  private static func number(_ text: Substring) -> Double? {
    Double(text.filter { !$0.isWhitespace }).flatMap { $0.isFinite && abs($0) < 1e6 ? $0 : nil }
  }

  /// A number with up to eight digits, without zeros at its end.
  private static func text(_ number: Double) -> String {
    "\((number * 1e8).rounded() / 1e8)"
  }
}

extension XMPEditor {
  /// Sets the orientation to upright.
  fileprivate mutating func setUpright() {
    for value in values where value.name == XMPNamespace.orientation { replace(value, with: "1") }
  }
}
