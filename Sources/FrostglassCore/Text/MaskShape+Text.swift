extension MaskShape {
  /// The names that shapes in text form begin with; a plain rectangle has none.
  public static let names = ["ellipse", "rounded", "continuous", "polygon", "gradient"]

  /// Reads regions: one or more shapes with semicolons between.
  ///
  /// `X,Y,W,H`, `ellipse(X,Y,W,H)`, `rounded(X,Y,W,H,RADIUS)`, `continuous(X,Y,W,H,RADIUS)`,
  /// `polygon(X Y, X Y, X Y…)` or `gradient(X Y, X Y, EASING)`. Numbers are pixels, or carry px, pt
  /// or %. The grammar is in docs/use/regions.md.
  ///
  /// - Throws: `RegionTextError` naming what is wrong and what would be accepted.
  public static func list(text: String) throws(RegionTextError) -> [MaskShape] {
    var shapes: [MaskShape] = []
    var column = 1
    for part in text.split(separator: ";", omittingEmptySubsequences: false) {
      let start = column + part.prefix { $0.isWhitespace }.count
      column += part.count + 1
      let words = trimmed(part)
      // A semicolon at the end separates nothing.
      if words.isEmpty, !shapes.isEmpty, column > text.count { break }
      shapes.append(try MaskShape(text: words, column: start))
    }
    return shapes
  }

  private init(text: String, column: Int) throws(RegionTextError) {
    guard !text.isEmpty else { throw .empty }
    guard let opening = text.firstIndex(of: "(") else {
      // A word where numbers should be is the name of a shape.
      let name = text.prefix { $0.isLetter || $0 == "-" }
      if name.contains(where: \.isLetter) { throw .unknownShape(String(name), column: column) }
      self = try .rectangle(RegionParts("a rectangle", Substring(text)), corners: .none)
      return
    }
    let name = trimmed(text[..<opening]).lowercased()
    guard MaskShape.names.contains(name) else { throw .unknownShape(name, column: column) }
    guard let closing = text.firstIndex(of: ")") else {
      throw .missingClosing(
        shape: name, column: column + text.distance(from: text.startIndex, to: opening))
    }
    let rest = text[text.index(after: closing)...]
    guard rest.isEmpty else {
      let place = text.distance(from: text.startIndex, to: rest.startIndex)
      throw .trailing(trimmed(rest), column: column + place)
    }
    let parts = RegionParts(name, text[text.index(after: opening)..<closing])
    switch name {
    case "ellipse": self = try .ellipse(parts)
    case "rounded": self = try .rectangle(parts, corners: .round)
    case "continuous": self = try .rectangle(parts, corners: .continuous)
    case "polygon": self = try .polygon(parts)
    default: self = try .gradient(parts)
    }
  }

  private enum CornerKind { case none, round, continuous }

  private static func rectangle(
    _ parts: RegionParts, corners: CornerKind
  ) throws(RegionTextError) -> MaskShape {
    let names = ["x", "y", "width", "height"] + (corners == .none ? [] : ["radius"])
    try parts.expect(names)
    return .rectangle(
      x: try parts.place(0, "x"), y: try parts.place(1, "y"),
      width: try parts.extent(2, "width"), height: try parts.extent(3, "height"),
      radius: corners == .none ? 0 : try parts.radius(4), isContinuous: corners == .continuous)
  }

  private static func ellipse(_ parts: RegionParts) throws(RegionTextError) -> MaskShape {
    try parts.expect(["x", "y", "width", "height"])
    return .ellipse(
      x: try parts.place(0, "x"), y: try parts.place(1, "y"),
      width: try parts.extent(2, "width"), height: try parts.extent(3, "height"))
  }

  private static func polygon(_ parts: RegionParts) throws(RegionTextError) -> MaskShape {
    guard parts.texts.count >= 3 else {
      throw .wrongCount(
        shape: "polygon", found: parts.texts.count, expected: "3 corners or more, each X Y")
    }
    var corners: [Corner] = []
    for index in parts.texts.indices { corners.append(try parts.corner(index)) }
    return .polygon(corners)
  }

  private static func gradient(_ parts: RegionParts) throws(RegionTextError) -> MaskShape {
    guard (2...3).contains(parts.texts.count) else {
      throw .wrongCount(
        shape: "gradient", found: parts.texts.count,
        expected: "where it is 0 and where it is 1, each X Y, and if wanted how it rises")
    }
    var easing = MaskShape.Easing.linear
    if parts.texts.count == 3 {
      guard let choice = MaskShape.Easing(rawValue: parts.texts[2].lowercased()) else {
        let words = MaskShape.Easing.allCases.map(\.rawValue)
        throw parts.bad(
          "easing", parts.texts[2],
          "one of \(words.joined(separator: ", "))"
            + DidYouMean.hint(for: parts.texts[2], in: words))
      }
      easing = choice
    }
    return .gradient(from: try parts.corner(0), to: try parts.corner(1), easing: easing)
  }
}

extension MaskShape {
  /// The shape in text form, which `list(text:)` reads; `nil` for images.
  public var text: String? {
    func join(_ lengths: [Length]) -> String {
      lengths.map(\.bareText).joined(separator: ",")
    }
    func pair(_ corner: Corner) -> String { "\(corner.x.bareText) \(corner.y.bareText)" }
    switch self {
    case .rectangle(let x, let y, let width, let height, let radius, let isContinuous):
      if isContinuous { return "continuous(\(join([x, y, width, height, radius])))" }
      return radius.value == 0
        ? join([x, y, width, height]) : "rounded(\(join([x, y, width, height, radius])))"
    case .ellipse(let x, let y, let width, let height):
      return "ellipse(\(join([x, y, width, height])))"
    case .polygon(let corners):
      return "polygon(\(corners.map(pair).joined(separator: ", ")))"
    case .gradient(let from, let to, let easing):
      return "gradient(\(pair(from)), \(pair(to)), \(easing.rawValue))"
    case .picture: return nil
    }
  }
}

extension Length {
  /// The text form, pixels as plain numbers.
  fileprivate var bareText: String { unit == .pixels ? shortest(value) : description }
}

/// Why a region's text cannot be read. Columns count characters from 1.
public enum RegionTextError: Error, Sendable, Hashable, CustomStringConvertible {
  /// There is no shape in the text.
  case empty
  /// A word that is the name of no shape.
  case unknownShape(String, column: Int)
  /// A parenthesis that is not closed.
  case missingClosing(shape: String, column: Int)
  /// More text behind the shape.
  case trailing(String, column: Int)
  /// Too few or too many parts; `expected` says which there must be.
  case wrongCount(shape: String, found: Int, expected: String)
  /// A number or word that a part of a shape cannot have.
  case badValue(shape: String, part: String, value: String, accepted: String)

  /// A description for the person who wrote the region.
  public var description: String {
    switch self {
    case .empty:
      "the region is empty; write for example 40,30,200,100 or ellipse(40,30,200,100)"
    case .unknownShape(let name, let column):
      "there is no region shape \(name) (column \(column))"
        + DidYouMean.hint(for: name, in: MaskShape.names) + "; shapes are X,Y,W,H, "
        + MaskShape.names.map { "\($0)(…)" }.joined(separator: ", ")
    case .missingClosing(let shape, let column):
      "the closing parenthesis of \(shape) is missing; it was opened at column \(column)"
    case .trailing(let text, let column):
      "\(text) at column \(column) is too much; separate regions by semicolons"
    case .wrongCount(let shape, let found, let expected):
      "\(shape) takes \(expected), not \(found) part\(found == 1 ? "" : "s") separated by commas"
    case .badValue(let shape, let part, let value, let accepted):
      "\(shape): \(part) is \(value.isEmpty ? "empty" : value); it must be \(accepted)"
    }
  }
}

/// The parts of a shape's text between its commas.
private struct RegionParts {
  let shape: String
  let texts: [String]

  init(_ shape: String, _ text: Substring) {
    self.shape = shape
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { trimmed($0) }
    texts = parts == [""] ? [] : parts
  }

  func expect(_ names: [String]) throws(RegionTextError) {
    guard texts.count == names.count else {
      throw .wrongCount(
        shape: shape, found: texts.count, expected: names.joined(separator: ", "))
    }
  }

  func bad(_ part: String, _ value: String, _ accepted: String) -> RegionTextError {
    .badValue(shape: shape, part: part, value: value, accepted: accepted)
  }

  private func length(
    _ text: String, _ part: String, _ accepted: String, where holds: (Double) -> Bool
  ) throws(RegionTextError) -> Length {
    guard let length = Length(text: text), holds(length.value) else {
      throw bad(part, text, accepted)
    }
    return length
  }

  /// A coordinate, which may be outside the image.
  func place(_ index: Int, _ part: String) throws(RegionTextError) -> Length {
    try place(texts[index], part)
  }

  private func place(_ text: String, _ part: String) throws(RegionTextError) -> Length {
    try length(text, part, "a number of pixels, or one with px, pt or %") { _ in true }
  }

  func extent(_ index: Int, _ part: String) throws(RegionTextError) -> Length {
    try length(texts[index], part, "over 0, in pixels or with px, pt or %") { $0 > 0 }
  }

  func radius(_ index: Int) throws(RegionTextError) -> Length {
    try length(texts[index], "radius", "0 or more, in pixels or with px, pt or %") { $0 >= 0 }
  }

  func corner(_ index: Int) throws(RegionTextError) -> MaskShape.Corner {
    let words = texts[index].split(whereSeparator: \.isWhitespace).map { String($0) }
    guard words.count == 2 else {
      throw bad("corner \(index + 1)", texts[index], "x and y with a space between")
    }
    return MaskShape.Corner(
      x: try place(words[0], "x of corner \(index + 1)"),
      y: try place(words[1], "y of corner \(index + 1)"))
  }
}
