internal import FrostglassCore

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
