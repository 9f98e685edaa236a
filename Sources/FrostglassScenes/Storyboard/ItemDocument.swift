package import FrostglassCore
internal import Glibc

/// Something that is shown: an image, a text, a symbol, colors, a material or a group, and where.
package struct ItemDocument: Sendable, Hashable {
  package var content: ItemContent
  /// Filters for what lies behind: the item shows that instead of its own colors, where it is
  /// opaque. Of images and texts.
  package var vibrancy: FilterChain?
  /// Laid over a material, by its own alpha and the item's tint alpha.
  package var tint: Color?
  package var decoration: DecorationDocument
  /// The item's place and look, and their changes with a bar's progress.
  package var layout: BarItem

  package var id: String { layout.id }
}

/// The content of an item.
package enum ItemContent: Sendable, Hashable {
  case picture(path: String, fit: ImageFit)
  case text(TextDocument)
  case symbol(SymbolDocument)
  case fill(ItemColor)
  case gradient(GradientDocument)
  /// The filtered backdrop.
  case material(FilterChain)
  case group(GroupDocument)
}

/// Items that are laid out in a frame, and move, turn and fade with it.
package struct GroupDocument: Sendable, Hashable {
  package var items: [ItemDocument]
  /// True if the group clips its items.
  package var clips: Bool
}

/// The way in which an image fills a frame of another shape.
package enum ImageFit: String, Sendable, Hashable, CaseIterable {
  /// Covers all of it, and is cut off.
  case cover
  /// All of it is to be seen.
  case contain
  /// Takes the frame's shape.
  case stretch

  /// Returns the factors by which an image's sides grow to fill a frame.
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
  /// True if lines are broken at the item's width.
  package var wraps: Bool

  package enum Alignment: String, Sendable, Hashable, CaseIterable {
    case left, center, right
  }
}

/// A symbol and what it looks like.
package struct SymbolDocument: Sendable, Hashable {
  package var symbol: Symbol
  package var color: ItemColor
  package var weight: Symbol.Weight
  /// 0…1, of symbols that show one.
  package var level: Double
}

/// Colors that flow into each other.
package struct GradientDocument: Sendable, Hashable {
  /// At equal distances along the way; two or more.
  package var colors: [Color]
  /// The direction of the gradient, in degrees clockwise from up, as in CSS.
  package var angle: Double
}

/// The decoration of a shape.
package struct DecorationDocument: Sendable, Hashable {
  package var border: Border?
  package var shadow: Shadow?

  /// A line inside the edge.
  package struct Border: Sendable, Hashable {
    /// In points.
    package var width: Double
    package var color: Color
    /// Along which edges.
    package var edges: Set<Edge> = Set(Edge.allCases)
  }

  /// A side of a shape.
  package enum Edge: String, Sendable, Hashable, CaseIterable {
    case top, bottom, left, right
  }

  /// A soft shape below, outside of the one that throws it. Lengths are points.
  package struct Shadow: Sendable, Hashable {
    package var color: Color
    /// Twice the standard deviation of a Gaussian that is about as soft, as in CSS.
    package var blur: Double
    package var x: Double
    package var y: Double
  }
}

extension ItemDocument {
  init(_ object: inout DocumentObject, default id: String) throws(DocumentError) {
    let contents = ["image", "text", "symbol", "fill", "gradient", "material", "items"]
    guard let (name, value) = try object.one(of: contents) else {
      throw object.lacking(contents, " to show")
    }
    let own = try object.value("id")?.text() ?? id
    switch name {
    case "image":
      let path = try value.text()
      guard !path.isEmpty else { throw value.error("is empty; give the path of an image") }
      content = .picture(
        path: path, fit: try object.value("fit")?.choice(ImageFit.self) ?? .cover)
    case "text": content = .text(try TextDocument(value.text(), &object))
    case "symbol": content = .symbol(try SymbolDocument(value, &object))
    case "fill": content = .fill(try ItemColor(value))
    case "gradient": content = .gradient(try GradientDocument(value, &object))
    case "items":
      content = .group(
        GroupDocument(
          items: try ItemDocument.list(value.array()),
          clips: try object.bool("clips", default: false)))
    default: content = .material(try value.filters())
    }
    vibrancy = try object.value("vibrancy")?.filters()
    if vibrancy != nil, !["image", "text", "symbol"].contains(name) {
      let shown = name == "items" ? "group" : name
      throw object.error(
        "has \"vibrancy\", which is for images, texts and symbols, not for a \(shown)")
    }
    tint = try object.value("tint")?.color()
    if tint != nil, name != "material" {
      throw object.error("has \"tint\", which is for a material, not for \(name)")
    }
    decoration = try DecorationDocument(&object)
    if decoration != DecorationDocument(), name == "text" || name == "symbol" {
      let decor = decoration.border == nil ? "shadow" : "border"
      throw object.error("has \"\(decor)\", which is for what has an edge, not for a \(name)")
    }
    layout = try BarItem(id: own, &object)
  }

  /// Items of a parent; those without an id are called by their place.
  ///
  /// - Throws: also for what cannot be laid out, such as two items of one id.
  static func list(_ values: [DocumentValue]) throws(DocumentError) -> [ItemDocument] {
    var items: [ItemDocument] = []
    for value in values {
      var object = try value.object()
      items.append(try ItemDocument(&object, default: "item-\(items.count)"))
      try object.finish()
    }
    try check(items, values)
    return items
  }

  /// Finds what cannot be laid out, and says at which item's line.
  static func check(
    _ items: [ItemDocument], _ values: [DocumentValue]
  ) throws(DocumentError) {
    do { _ = try FlexibleBar(items: items.map(\.layout)) } catch {
      // Of two items with one id it is the later.
      guard let id = error.item, let index = items.lastIndex(where: { $0.id == id }) else {
        throw DocumentError(values.first?.value.place ?? TextPosition(column: 1), "", "\(error)")
      }
      let place = values[index].line(error.line, referringTo: error.reference)
      throw (place ?? values[index]).error("\(error)")
    }
  }
}

extension DocumentValue {
  /// Returns the line of an item, or of one of its keyframes, whose text refers to an item.
  ///
  /// - Parameter line: the line to look for; `nil` for any.
  fileprivate func line(_ line: LayoutLine?, referringTo reference: String?) -> DocumentValue? {
    guard let reference, case .object(let members) = value.content else { return nil }
    let names = line.map { [$0.rawValue] } ?? LayoutLine.allCases.map(\.rawValue)
    for member in members where names.contains(member.name) {
      guard case .string(let text) = member.value.content,
        text.trimmingPrefix(while: \.isWhitespace).hasPrefix("\(reference).")
      else { continue }
      return DocumentValue(value: member.value, path: "\(path).\(member.name)")
    }
    for member in members where member.name == "keyframes" {
      guard case .array(let frames) = member.value.content else { continue }
      for (index, frame) in frames.enumerated() {
        let inner = DocumentValue(value: frame, path: "\(path).keyframes[\(index)]")
        if let found = inner.line(line, referringTo: reference) { return found }
      }
    }
    return nil
  }
}

extension LayoutError {
  /// The item that is to be changed.
  fileprivate var item: String? {
    switch self {
    case .duplicateItem(let id): id
    case .unknownItem(let item, _, _, _), .wrongNumberOfLines(let item, _, _),
      .tooDeep(let item, _):
      item
    case .circle(let anchors):
      if case .item(let id, _)? = anchors.first { id } else { nil }
    case .badNumber: nil
    }
  }

  /// The line of it that is wrong, where that is one.
  fileprivate var line: LayoutLine? {
    if case .unknownItem(_, let line, _, _) = self { line } else { nil }
  }

  /// The item id that an erroneous line refers to.
  fileprivate var reference: String? {
    switch self {
    case .unknownItem(_, _, let reference, _): reference
    case .circle(let anchors):
      if case .item(let id, _)? = anchors.dropFirst().first { id } else { nil }
    case .duplicateItem, .wrongNumberOfLines, .tooDeep, .badNumber: nil
    }
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

  /// A member `color`, black if there is none.
  fileprivate init(in object: inout DocumentObject) throws(DocumentError) {
    guard let value = object.value("color") else {
      self = .color(.black)
      return
    }
    try self.init(value)
  }
}

extension SymbolDocument {
  fileprivate init(
    _ name: DocumentValue, _ object: inout DocumentObject
  ) throws(DocumentError) {
    guard case .string(let text) = name.value.content,
      let symbol = SymbolTable.symbol(named: text)
    else { throw name.wrong(SymbolTable.all.map(\.name)) }
    self.symbol = symbol
    color = try ItemColor(in: &object)
    weight = try object.value("weight")?.choice(Symbol.Weight.self) ?? .regular
    level = try object.number("level", in: 0...1, default: 1)
  }
}

extension GradientDocument {
  fileprivate init(
    _ value: DocumentValue, _ object: inout DocumentObject
  ) throws(DocumentError) {
    colors = []
    for color in try value.array() { colors.append(try color.color()) }
    guard colors.count >= 2 else { throw value.error("needs two colors or more") }
    angle = try object.number("angle", in: -36_000...36_000, default: 180)
  }
}

extension DecorationDocument {
  init(_ object: inout DocumentObject) throws(DocumentError) {
    border = try object.value("border").map { value throws(DocumentError) in try Border(value) }
    shadow = try object.value("shadow").map { value throws(DocumentError) in try Shadow(value) }
  }
}

extension DecorationDocument.Border {
  fileprivate init(_ value: DocumentValue) throws(DocumentError) {
    var object = try value.object()
    if let value = object.value("width"), case .string("hairline") = value.value.content {
      // No border is less than a pixel wide.
      width = 0
    } else {
      width = try object.number("width", in: 0.1...1000, default: 1)
    }
    color = try object.required("color").color()
    if let value = object.value("edges") {
      edges = []
      for edge in try value.array() {
        edges.insert(try edge.choice(DecorationDocument.Edge.self))
      }
      guard !edges.isEmpty else { throw value.error("is empty; name an edge, or leave it out") }
    }
    try object.finish()
  }
}

extension DecorationDocument.Shadow {
  fileprivate init(_ value: DocumentValue) throws(DocumentError) {
    var object = try value.object()
    color = try object.value("color")?.color() ?? Color(white: 0, alpha: 0.3)
    blur = try object.number("blur", in: 0...1000, default: 16)
    x = try object.number("x", in: -1000...1000, default: 0)
    y = try object.number("y", in: -1000...1000, default: 0)
    try object.finish()
  }
}

extension TextDocument {
  fileprivate init(_ text: String, _ object: inout DocumentObject) throws(DocumentError) {
    self.text = text
    font = try object.value("font")?.text() ?? "Inter"
    size = try object.number("size", in: 1...1000, default: 17)
    color = try ItemColor(in: &object)
    alignment = try object.value("align")?.choice(Alignment.self) ?? .left
    wraps = try object.bool("wrap", default: false)
  }
}

extension BarItem {
  /// An item's place and looks, and its keyframes.
  init(id: String, _ object: inout DocumentObject) throws(DocumentError) {
    let resting = try ItemPose(&object, from: ItemPose(.wholeBar), id: id)
    self.init(id: id, resting: resting)
    var known: String?
    var springs: [Double: DocumentValue] = [:]
    for value in try object.array("keyframes") {
      var frame = try value.object()
      guard let (name, when) = try frame.one(of: ["progress", "at"]) else {
        throw frame.lacking(["progress", "at"])
      }
      guard known ?? name == name else {
        throw value.error("has \"\(name)\"; the keyframes before it have \"\(known ?? name)\"")
      }
      known = name
      followsTime = name == "at"
      // What lies outside counts as the nearer end.
      let number = try when.number(in: followsTime ? 0...3600 : DocumentValue.coordinates)
      let pose = try ItemPose(&frame, from: resting, id: id)
      let spread = frame.value("easing")
      let easing = try spread?.easing() ?? .linear
      try frame.finish()
      let keyframe =
        followsTime
        ? Keyframe(time: number, pose, easing: easing)
        : Keyframe(progress: number, pose, easing: easing)
      setKeyframe(keyframe)
      springs[keyframe.progress] = followsTime && easing.duration != nil ? spread : nil
    }
    try check(springs)
  }

  /// A spring has to be at rest at the next keyframe, or what it moves would jump there.
  private func check(_ springs: [Double: DocumentValue]) throws(DocumentError) {
    for (lower, upper) in zip(keyframes, keyframes.dropFirst()) {
      guard let value = springs[lower.progress], let needed = lower.easing.duration else {
        continue
      }
      let start = Keyframe.time(atProgress: lower.progress)
      let given = Keyframe.time(atProgress: upper.progress - lower.progress)
      guard needed > given + 1e-6 else { continue }
      let least = ((start + needed) * 100).rounded(.up) / 100
      throw value.error(
        "is a spring that rests after \(decimal(needed, places: 2)) s, and the next keyframe comes "
          + "after \(decimal(given, places: 2)) s; give that one at \(decimal(least, places: 2)) or "
          + "later, or make the spring shorter")
    }
  }
}

extension ItemPose {
  /// A pose that differs from another in what is given.
  fileprivate init(
    _ object: inout DocumentObject, from base: ItemPose, id: String
  ) throws(DocumentError) {
    self = base
    layout = try ItemLayout(&object, from: base.layout ?? .wholeBar, id: id)
    attributes.alpha = try object.number("alpha", in: 0...1, default: attributes.alpha)
    attributes.isHidden = try object.bool("hidden", default: attributes.isHidden)
    let depth = try object.number(
      "z", in: -1_000_000...1_000_000, default: Double(attributes.zIndex))
    attributes.zIndex = Int(depth.rounded())
    let radius = attributes.cornerRadius
    attributes.cornerRadius = try object.number("cornerRadius", in: 0...100_000, default: radius)
    let strength = attributes.blurStrength
    attributes.blurStrength = try object.number("blur", in: 0...1, default: strength)
    attributes.tintAlpha = try object.number("tintAlpha", in: 0...1, default: attributes.tintAlpha)
    if let value = object.value("transform") { attributes.transform = try Transform3D(value) }
    if let anchor = object.value("anchor") {
      let shares = try anchor.numbers(["x", "y"], in: -10...10)
      attributes.anchorPoint = LayoutPoint(x: shares[0], y: shares[1])
    }
  }
}

extension ItemLayout {
  /// A `frame`, or lines by their names; an axis of which nothing is said stays as it was.
  fileprivate init(
    _ object: inout DocumentObject, from base: ItemLayout, id: String
  ) throws(DocumentError) {
    let frame = object.value("frame")
    self =
      try frame.map { value throws(DocumentError) in ItemLayout(frame: try value.frame()) } ?? base
    var given: [LayoutLine: LayoutValue] = [:]
    for line in LayoutLine.allCases {
      guard let value = object.value(line.rawValue) else { continue }
      guard frame == nil else {
        throw value.error("is given beside \"frame\"; one of them is too much")
      }
      given[line] = try LayoutValue(value)
    }
    for axis in LayoutAxis.allCases {
      let lines = LayoutLine.lines(of: axis)
      let named = lines.filter { given[$0] != nil }
      guard !named.isEmpty else { continue }
      guard named.count == 2 else {
        let error = LayoutError.wrongNumberOfLines(item: id, axis: axis, given: named)
        throw object.error("\(error)")
      }
      for line in lines { self[line] = given[line] }
    }
  }
}

extension Transform3D {
  /// `{"scale": 2, "rotate": 30, "translate": [10, 0]}`: applied in this order, around the anchor.
  fileprivate init(_ value: DocumentValue) throws(DocumentError) {
    var object = try value.object()
    self = .identity
    if let scale = object.value("scale") {
      if case .number = scale.value.content {
        let both = try scale.number(in: 0.001...1000)
        self = .scale(x: both, y: both)
      } else {
        let numbers = try scale.numbers(["x", "y"], in: 0.001...1000)
        self = .scale(x: numbers[0], y: numbers[1])
      }
    }
    if let turn = object.value("rotate") {
      self = followed(by: .rotation(degrees: try turn.number(in: -36_000...36_000)))
    }
    if let move = object.value("translate") {
      let numbers = try move.numbers(["x", "y"], in: DocumentValue.coordinates)
      self = followed(by: .translation(x: numbers[0], y: numbers[1]))
    }
    try object.finish()
  }
}

extension LayoutValue {
  /// A number of points, or a text such as `bar.right - 16`, `title.bottom + 8` or
  /// `bar.width * 0.5 + 10`.
  fileprivate init(_ value: DocumentValue) throws(DocumentError) {
    if case .number = value.value.content {
      self = .points(try value.number(in: DocumentValue.coordinates))
      return
    }
    guard case .string(let text) = value.value.content else { throw Self.wrong(value) }
    var words = text.split(whereSeparator: \.isWhitespace)
    guard let first = words.first, let dot = first.lastIndex(of: ".") else {
      throw Self.wrong(value)
    }
    let (owner, name) = (String(first[..<dot]), String(first[first.index(after: dot)...]))
    guard let line = LayoutLine(rawValue: name) else {
      let lines = LayoutLine.allCases.map(\.rawValue)
      throw value.error(
        "names \(name), which is no line" + DidYouMean.hint(for: name, in: lines)
          + "; lines are \(lines.joined(separator: ", "))")
    }
    words.removeFirst()
    let factor = try Self.number(after: ["*"], in: &words, value) ?? 1
    let offset = try Self.number(after: ["+", "-"], in: &words, value) ?? 0
    guard words.isEmpty, !owner.isEmpty else { throw Self.wrong(value) }
    self.init(
      anchor: owner == "bar" ? .bar(line) : .item(owner, line), factor: factor, offset: offset)
  }

  /// The number behind one of some signs, which are taken away.
  private static func number(
    after signs: [Substring], in words: inout [Substring], _ value: DocumentValue
  ) throws(DocumentError) -> Double? {
    guard let sign = words.first, signs.contains(sign) else { return nil }
    guard words.count >= 2, let number = Double(words[1]), DocumentValue.coordinates ~= number
    else { throw wrong(value) }
    words.removeFirst(2)
    return sign == "-" ? -number : number
  }

  private static func wrong(_ value: DocumentValue) -> DocumentError {
    value.wrong(
      "a number of points, or such as \"bar.right - 16\", \"title.bottom + 8\" or "
        + "\"bar.width * 0.5 + 10\"")
  }
}
