internal import FrostglassCore

extension Region {
  /// JSON values in a file of regions: 20 of each of as many as there may be.
  private static let mostValues = 20 * RegionsFile.mostRegions

  /// Reads regions from JSON: as docs/use/regions.md has them, or as a detector writes them.
  ///
  /// - Parameter format: the format, where the structure does not tell.
  static func document(
    json text: String, as format: RegionsFormat?
  ) throws(RegionsError) -> RegionsContents {
    let document: JSONValue
    do { document = try JSONValue(text: text, most: mostValues) } catch {
      throw .malformed(path: "", place: error.place, reason: error.reason)
    }
    // A detector that found nothing in an image.
    if document.content == .object([]) { return RegionsContents() }
    guard let format else {
      return try contents(document, as: RegionsFormat(recognizing: document))
    }
    return try contents(document, as: format)
  }

  private static func contents(
    _ document: JSONValue, as format: RegionsFormat
  ) throws(RegionsError) -> RegionsContents {
    guard format == .json else { return try DetectorReader(document, as: format).contents }
    let found = try RegionsDocument(document)
    return RegionsContents(
      entries: found.regions, pictures: found.pictures,
      categories: found.categories.values.sorted())
  }
}

/// Regions in JSON, as docs/use/regions.md and COCO have them.
private struct RegionsDocument {
  private static let keys = ["regions", "annotations", "normalized"]
  /// Other keys allowed next to the regions. They are ignored.
  private static let others = [
    "image", "width", "height", "size", "version", "info", "licenses",
  ]

  private(set) var regions: [RegionsFile.Entry] = []
  private(set) var pictures: [RegionsFile.ImageEntry] = []
  /// Names of categories by their numbers.
  private(set) var categories: [String: String] = [:]

  init(_ document: JSONValue) throws(RegionsError) {
    switch document.content {
    case .array(let list):
      for (index, value) in list.enumerated() {
        try RegionsFile.checkCount(index + 1, at: value.place)
        regions.append(
          try RegionObject(value, name: "[\(index)]", isNormalized: false).entry([:]))
      }
    case .object(let members): try read(members, at: document.place)
    default:
      throw .malformed(
        path: "", place: document.place,
        reason: "regions are an array, or an object with \"regions\", not \(document.kind)")
    }
  }

  private mutating func read(
    _ members: [JSONValue.Member], at place: TextPosition
  ) throws(RegionsError) {
    var isNormalized = false
    var found: JSONValue.Member?
    for member in members {
      switch member.name {
      case "normalized": isNormalized = try member.bool()
      case "regions", "annotations":
        if let found {
          throw .malformed(
            path: "", place: member.place,
            reason: "\(found.name) and \(member.name) exclude each other")
        }
        found = member
      case "images": pictures = try list(member).map(picture)
      case "categories":
        for category in try list(member) {
          guard let id = category["id"]?.label, let name = category["name"]?.label else { continue }
          if !name.isEmpty { categories[id] = name }
        }
      case let name where Self.others.contains(name): continue
      default: throw member.unknown(in: "the document", known: Self.keys)
      }
    }
    guard let found else {
      throw .malformed(
        path: "", place: place,
        reason: "there is no \"regions\" in the object; add an array of them")
    }
    for (index, value) in try list(found).enumerated() {
      let name = "\(found.name)[\(index)]"
      try RegionsFile.checkCount(index + 1, at: value.place)
      regions.append(
        try RegionObject(value, name: name, isNormalized: isNormalized).entry(categories))
    }
  }

  private func list(_ member: JSONValue.Member) throws(RegionsError) -> [JSONValue] {
    guard case .array(let list) = member.value.content else {
      throw .malformed(
        path: "", place: member.value.place,
        reason: "\(member.name) must be an array, not \(member.value.kind)")
    }
    return list
  }

  /// An image as COCO lists it.
  private func picture(_ value: JSONValue) -> RegionsFile.ImageEntry {
    func number(_ name: String) -> Int? { value[name]?.label.flatMap { Int($0) } }
    let size = number("width").flatMap { width in
      number("height").map { Size(width: width, height: $0) }
    }
    return RegionsFile.ImageEntry(
      id: value["id"]?.label, name: value["file_name"]?.label, size: size)
  }
}

extension JSONValue {
  /// A member of an object, by its exact name.
  fileprivate subscript(_ name: String) -> JSONValue? {
    guard case .object(let members) = content else { return nil }
    return members.first { $0.name == name }?.value
  }
}

extension JSONValue.Member {
  func bool() throws(RegionsError) -> Bool {
    guard case .bool(let bool) = value.content else {
      throw .malformed(
        path: "", place: value.place, reason: "\(name) must be true or false, not \(value.kind)")
    }
    return bool
  }

  /// A name that means nothing here.
  func unknown(in what: String, known: [String]) -> RegionsError {
    .malformed(
      path: "", place: place,
      reason: "\(what) has a key that is not known, \"\(name)\""
        + DidYouMean.hint(for: name, in: known) + "; known are \(known.joined(separator: ", "))")
  }
}

/// A region as a JSON object.
struct RegionObject {
  private static let shapes = ["bbox", "box", "polygon", "ellipse"]
  private static let known = shapes + RegionFields.lengths + RegionFields.beside

  private let name: String
  private let place: TextPosition
  private let members: [JSONValue.Member]
  private var isNormalized: Bool

  /// - Parameter name: the path in the document, for messages.
  init(_ value: JSONValue, name: String, isNormalized: Bool) throws(RegionsError) {
    guard case .object(let members) = value.content else {
      throw .malformed(
        path: "", place: value.place,
        reason: "\(name) must be an object, such as {\"x\": 40, \"y\": 30, \"width\": 200, "
          + "\"height\": 100}, not \(value.kind)")
    }
    try self.init(members, at: value.place, name: name, isNormalized: isNormalized)
  }

  /// - Parameter name: the path in the document, for messages.
  init(
    _ members: [JSONValue.Member], at place: TextPosition, name: String, isNormalized: Bool
  ) throws(RegionsError) {
    self.name = name
    self.members = members
    self.isNormalized = isNormalized
    self.place = place
    if let own = members.first(where: { $0.name == "normalized" }) {
      self.isNormalized = try own.bool()
    }
  }

  /// The region with the image that it is of.
  ///
  /// - Parameter categories: names by number, for regions that have no label of their own.
  func entry(_ categories: [String: String]) throws(RegionsError) -> RegionsFile.Entry {
    func text(_ name: String) -> String? { members.first { $0.name == name }?.value.label }
    var region = try region()
    if region.label == nil, let category = text(RegionFields.category) {
      region.label = categories[category]
    }
    let named = RegionFields.imageNames.lazy.compactMap { text($0) }.first
    return RegionsFile.Entry(
      region: region,
      picture: named.map { .name($0) } ?? text(RegionFields.imageID).map { .id($0) },
      place: place)
  }

  private func region() throws(RegionsError) -> Region {
    var fields = RegionFields(place: place, name: name)
    var shapes: [(JSONValue.Member, MaskShape)] = []
    var (labels, scores): ([String: String], [String: Double]) = ([:], [:])
    for member in members {
      switch member.name {
      case let name where RegionFields.lengths.contains(name):
        fields.values[name] = (try length(member.value, name), member.value.place)
      case let name where RegionFields.labels.contains(name): labels[name] = member.value.label
      case let name where RegionFields.scores.contains(name):
        scores[name] = member.value.label.flatMap { Double($0) }
      case let name where RegionFields.beside.contains(name): continue
      case let name where Self.shapes.contains(name): shapes.append((member, try shape(member)))
      default: throw member.unknown(in: name, known: Self.known)
      }
    }
    let label = RegionFields.labels.lazy.compactMap { labels[$0] }.first
    let score = RegionFields.scores.lazy.compactMap { scores[$0] }.first
    guard let (member, shape) = shapes.first else {
      return Region(try fields.rectangle(), label: label, score: score)
    }
    let others =
      fields.values.keys.sorted().filter { $0 != "radius" } + shapes.dropFirst().map { $0.0.name }
    guard others.isEmpty else {
      throw error(
        member.place,
        "\(name) has \(member.name) and also \(others.joined(separator: ", ")); one "
          + "of them is too much")
    }
    if let radius = fields.values["radius"] {
      return Region(try rounded(shape, radius), label: label, score: score)
    }
    return Region(shape, label: label, score: score)
  }

  private func shape(_ member: JSONValue.Member) throws(RegionsError) -> MaskShape {
    let path = "\(name).\(member.name)"
    switch member.name {
    case "polygon": return .polygon(try corners(member.value, path))
    case "ellipse":
      guard case .rectangle(let x, let y, let width, let height, _, _) = try box(member, path)
      else { throw error(place, "\(path) is no ellipse") }
      return .ellipse(x: x, y: y, width: width, height: height)
    default: return try box(member, path)
    }
  }

  /// Four numbers in an array, or an object with a rectangle's names.
  private func box(_ member: JSONValue.Member, _ path: String) throws(RegionsError) -> MaskShape {
    let value = member.value
    var fields = RegionFields(place: value.place, name: path)
    switch value.content {
    case .array(let list) where list.count == 4:
      let names = member.name == "box" ? ["x1", "y1", "x2", "y2"] : ["x", "y", "width", "height"]
      for (name, number) in zip(names, list) {
        fields.values[name] = (try length(number, "\(member.name), its \(name)"), number.place)
      }
    case .object(let members):
      for inner in members {
        guard RegionFields.lengths.contains(inner.name), inner.name != "radius" else {
          throw inner.unknown(in: path, known: RegionFields.lengths.filter { $0 != "radius" })
        }
        fields.values[inner.name] = (try length(inner.value, inner.name), inner.value.place)
      }
    default:
      let names = member.name == "box" ? "[x1, y1, x2, y2]" : "[x, y, width, height]"
      throw error(value.place, "\(path) must be \(names)")
    }
    return try fields.rectangle()
  }

  private func corners(
    _ value: JSONValue, _ path: String
  ) throws(RegionsError) -> [MaskShape.Corner] {
    guard case .array(let list) = value.content, list.count >= 3 else {
      throw error(value.place, "\(path) must be an array of 3 or more corners, each [x, y]")
    }
    var corners: [MaskShape.Corner] = []
    for (index, corner) in list.enumerated() {
      guard case .array(let pair) = corner.content, pair.count == 2 else {
        throw error(corner.place, "\(path)[\(index)] must be [x, y], not \(corner.kind)")
      }
      corners.append(
        MaskShape.Corner(x: try length(pair[0], "x"), y: try length(pair[1], "y")))
    }
    return corners
  }

  private func rounded(
    _ shape: MaskShape, _ radius: (length: Length, place: TextPosition)
  ) throws(RegionsError) -> MaskShape {
    guard case .rectangle(let x, let y, let width, let height, _, _) = shape,
      radius.length.value >= 0
    else { throw error(radius.place, "\(name): radius is for rectangles, and 0 or more") }
    return .rectangle(x: x, y: y, width: width, height: height, radius: radius.length)
  }

  private func length(_ value: JSONValue, _ part: String) throws(RegionsError) -> Length {
    switch value.content {
    case .number(let number):
      guard let length = Length(number: number, isNormalized: isNormalized) else {
        throw error(
          value.place, "\(name): \(part) is \(number); normalized values are from 0 to 1")
      }
      return length
    case .string(let text):
      guard let length = Length(text: text) else {
        throw error(
          value.place, "\(name): \(part) is \(text); it must be a number, or such as \"10%\"")
      }
      return length
    default:
      throw error(value.place, "\(name): \(part) must be a number, not \(value.kind)")
    }
  }

  private func error(_ place: TextPosition, _ reason: String) -> RegionsError {
    .malformed(path: "", place: place, reason: reason)
  }
}
