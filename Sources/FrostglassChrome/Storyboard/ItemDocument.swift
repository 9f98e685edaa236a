package import FrostglassCore

/// Something that is shown: a picture, a text, a color or a material, and where.
package struct ItemDocument: Sendable {
  package var content: ItemContent
  /// Filters for what lies behind: the item shows that instead of its own colors, where it is
  /// opaque. Of pictures and texts.
  package var vibrancy: FilterChain?
  /// Laid over a material, by its own alpha and the item's tint alpha.
  package var tint: Color?
  /// Where it is, and how that changes with a bar's progress.
  package var layout: BarItem

  package var id: String { layout.id }
}

/// What an item shows.
package enum ItemContent: Sendable, Hashable {
  case picture(path: String, fit: PictureFit)
  case text(TextDocument)
  case fill(ItemColor)
  /// What lies behind, as filters make it.
  case material(FilterChain)
}

/// How a picture fills a frame of another shape.
package enum PictureFit: String, Sendable, Hashable, CaseIterable {
  /// Covers all of it, and is cut off.
  case cover
  /// All of it is to be seen.
  case contain
  /// Takes the frame's shape.
  case stretch

  /// What a picture's sides are multiplied with to fill a frame.
  package func factors(from own: Size, to frame: LayoutSize) -> (x: Double, y: Double) {
    let (x, y) = (frame.width / Double(own.width), frame.height / Double(own.height))
    return switch self {
    case .stretch: (x, y)
    case .cover: (max(x, y), max(x, y))
    case .contain: (min(x, y), min(x, y))
    }
  }
}

/// A color of an item.
package enum ItemColor: Sendable, Hashable {
  case color(Color)
  /// The one that a status bar chose for its content; black elsewhere.
  case content
}

/// A text and what it looks like.
package struct TextDocument: Sendable, Hashable {
  package var text: String
  /// A font's name as Pango has it, without a size: `Inter Bold`.
  package var font: String
  /// In points.
  package var size: Double
  package var color: ItemColor
  package var alignment: Alignment
  /// Whether lines are broken at the item's width.
  package var wraps: Bool

  package enum Alignment: String, Sendable, Hashable, CaseIterable {
    case left, center, right
  }
}

extension ItemDocument {
  init(_ object: inout DocumentObject, default id: String) throws(DocumentError) {
    let contents = ["image", "text", "fill", "material"]
    guard let (name, value) = try object.one(of: contents) else {
      throw object.lacking(contents, " to show")
    }
    let own = try object.value("id")?.text() ?? id
    switch name {
    case "image":
      let path = try value.text()
      guard !path.isEmpty else { throw value.error("is empty; give the path of a picture") }
      content = .picture(
        path: path, fit: try object.value("fit")?.choice(PictureFit.self) ?? .cover)
    case "text": content = .text(try TextDocument(value.text(), &object))
    case "fill": content = .fill(try ItemColor(value))
    default: content = .material(try value.filters())
    }
    vibrancy = try object.value("vibrancy")?.filters()
    if vibrancy != nil, name == "fill" || name == "material" {
      throw object.error("has \"vibrancy\", which is for images and texts, not for a \(name)")
    }
    tint = try object.value("tint")?.color()
    if tint != nil, name != "material" {
      throw object.error("has \"tint\", which is for a material, not for \(name)")
    }
    layout = try BarItem(id: own, &object)
  }

  /// Items of a parent; those without an id are called by their place.
  static func list(_ values: [DocumentValue]) throws(DocumentError) -> [ItemDocument] {
    var items: [ItemDocument] = []
    for value in values {
      var object = try value.object()
      items.append(try ItemDocument(&object, default: "item-\(items.count)"))
      try object.finish()
    }
    return items
  }

  /// Finds what cannot be laid out, such as two items of one id.
  static func check(
    _ items: [ItemDocument], of object: DocumentObject
  ) throws(DocumentError) {
    do { _ = try FlexibleBar(items: items.map(\.layout)) } catch { throw object.error("\(error)") }
  }
}

extension ItemColor {
  init(_ value: DocumentValue) throws(DocumentError) {
    if case .string("content") = value.value.content {
      self = .content
    } else {
      self = .color(try value.color())
    }
  }
}

extension TextDocument {
  fileprivate init(_ text: String, _ object: inout DocumentObject) throws(DocumentError) {
    self.text = text
    font = try object.value("font")?.text() ?? "Inter"
    size = try object.number("size", in: 1...1000, default: 17)
    color =
      try object.value("color").map { value throws(DocumentError) in try ItemColor(value) }
      ?? .color(.black)
    alignment = try object.value("align")?.choice(Alignment.self) ?? .left
    wraps = try object.bool("wrap", default: false)
  }
}
