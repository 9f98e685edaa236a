internal import FrostglassCore

extension Region {
  /// Reads regions from CSV: a line for each, under a line with names, or x, y, width, height.
  ///
  /// Commas, semicolons or tabs separate, whichever the first line has; texts may stand in double
  /// quotes. Empty lines and those that begin with # are passed over.
  static func rows(csv text: String) throws(RegionsError) -> [RegionsFile.Entry] {
    var rows = CSVRows(text)
    guard let first = try rows.next() else { return [] }
    let isHeader = first.contains { Length(text: $0.text) == nil }
    let names = isHeader ? try header(first) : ["x", "y", "width", "height"]
    var regions: [RegionsFile.Entry] = []
    var next: [CSVField]? = isHeader ? try rows.next() : first
    while let row = next {
      try RegionsFile.checkCount(regions.count + 1, at: row[0].place)
      regions.append(try region(row, names))
      next = try rows.next()
    }
    return regions
  }

  /// The names of columns.
  ///
  /// - Parameter others: names that are known and read elsewhere.
  static func header(
    _ row: [CSVField], beside others: [String] = []
  ) throws(RegionsError) -> [String] {
    let known = RegionFields.lengths + RegionFields.beside + others
    var names: [String] = []
    for (index, field) in row.enumerated() {
      let name = field.text.lowercased()
      // pandas numbers the lines in a column without a name.
      if index == 0, name.isEmpty {
        names.append(name)
        continue
      }
      guard known.contains(name) else {
        throw field.error(
          "there is no column \(field.text.isEmpty ? "without a name" : field.text)"
            + DidYouMean.hint(for: name, in: known) + "; known are \(known.joined(separator: ", "))"
        )
      }
      guard !names.contains(name) else { throw field.error("the column \(name) is there twice") }
      names.append(name)
    }
    return names
  }

  /// The region of a line with these columns.
  static func region(
    _ row: [CSVField], _ names: [String]
  ) throws(RegionsError) -> RegionsFile.Entry {
    guard row.count == names.count else {
      let place = row.count > names.count ? row[names.count] : row[row.count - 1]
      throw place.error(
        "the line has \(row.count) field\(row.count == 1 ? "" : "s"); it must have \(names.count): "
          + names.joined(separator: ", "))
    }
    var fields = RegionFields(place: row[0].place, name: "the region")
    var (labels, scores): ([String: String], [String: Double]) = ([:], [:])
    var picture: RegionsFile.ImageKey?
    var isNormalized = false
    if let place = names.firstIndex(of: "normalized") { isNormalized = try row[place].bool() }
    for (name, field) in zip(names, row) {
      if RegionFields.labels.contains(name) {
        labels[name] = field.text.isEmpty ? nil : field.text
      } else if RegionFields.scores.contains(name) {
        scores[name] = Double(field.text)
      } else if RegionFields.imageNames.contains(name), !field.text.isEmpty {
        picture = .name(field.text)
      } else if name == RegionFields.imageID, picture == nil, !field.text.isEmpty {
        picture = .id(field.text)
      } else if RegionFields.lengths.contains(name) {
        // A detector may leave a radius out here and there.
        if field.text.isEmpty, name == "radius" { continue }
        let fraction = isNormalized ? Double(field.text) : nil
        let normalized = fraction.flatMap { Length(number: $0, isNormalized: true) }
        guard fraction == nil || normalized != nil else {
          throw field.error("\(name) is \(field.text); normalized values are from 0 to 1")
        }
        guard let length = normalized ?? Length(text: field.text) else {
          throw field.error(
            "\(name) is \(field.text.isEmpty ? "empty" : field.text); it must be a number, or such "
              + "as 10%")
        }
        fields.values[name] = (length, field.place)
      }
    }
    return RegionsFile.Entry(
      region: Region(
        try fields.rectangle(), label: RegionFields.labels.lazy.compactMap { labels[$0] }.first,
        score: RegionFields.scores.lazy.compactMap { scores[$0] }.first),
      picture: picture, place: row[0].place)
  }
}

/// A field of a line.
struct CSVField {
  var text: String
  var place: TextPosition

  func bool() throws(RegionsError) -> Bool {
    switch text.lowercased() {
    case "true", "1": return true
    case "false", "0", "": return false
    default: throw error("\(text) must be true or false")
    }
  }

  func error(_ reason: String) -> RegionsError {
    .malformed(path: "", place: place, reason: reason)
  }
}

/// Splits a text into lines, and those into fields.
struct CSVRows {
  /// The text that is not read yet; lines are taken from it one by one.
  private var rest: Substring?
  private var number = 0
  private var separator: Character?

  init(_ text: String) {
    rest = text[...]
  }

  /// The next line with something in it; `nil` at the end.
  mutating func next() throws(RegionsError) -> [CSVField]? {
    while let line = popLine() {
      number += 1
      if number % 1024 == 0, ReadingTime.isOver { throw field("", 1).error(ReadingTime.words) }
      guard let first = line.first(where: { !$0.isWhitespace }), first != "#" else { continue }
      let separator =
        self.separator ?? [",", ";", "\t"].first { line.contains($0) } ?? ","
      self.separator = separator
      return try fields(line, separator)
    }
    return nil
  }

  private mutating func popLine() -> Substring? {
    guard let rest else { return nil }
    guard let end = rest.firstIndex(where: \.isNewline) else {
      self.rest = nil
      return rest
    }
    self.rest = rest[rest.index(after: end)...]
    return rest[..<end]
  }

  private func fields(
    _ line: Substring, _ separator: Character
  ) throws(RegionsError) -> [CSVField] {
    var fields: [CSVField] = []
    var (text, start, isQuoted, closed) = ("", 1, false, -2)
    for (index, character) in line.enumerated() {
      if index % 4096 == 4095, ReadingTime.isOver {
        throw field("", index + 1).error(ReadingTime.words)
      }
      if character == "\"" {
        // A quote in quotes is doubled (RFC 4180, section 2).
        if !isQuoted, closed == index - 1 { text.append(character) }
        if isQuoted { closed = index }
        isQuoted.toggle()
      } else if character == separator, !isQuoted {
        fields.append(field(text, start))
        (text, start) = ("", index + 2)
      } else {
        text.append(character)
      }
    }
    let last = field(text, start)
    guard !isQuoted else { throw last.error("a closing quote is missing in this line") }
    return fields + [last]
  }

  private func field(_ text: String, _ column: Int) -> CSVField {
    let space = text.prefix { $0.isWhitespace }.count
    let words = text.dropFirst(space)
    let end =
      words.lastIndex { !$0.isWhitespace }.map { words.index(after: $0) } ?? words.startIndex
    return CSVField(
      text: String(words[..<end]), place: TextPosition(line: number, column: column + space))
  }
}

/// The numbers of a region by name, from a JSON object or a line of CSV.
struct RegionFields {
  /// The names of length fields, in the order used in messages.
  static let lengths = [
    "x", "y", "width", "height", "w", "h", "left", "top", "right", "bottom", "x1", "y1", "x2",
    "y2", "xmin", "ymin", "xmax", "ymax", "radius",
  ]
  /// The names of the detector's confidence. The first one present counts.
  static let scores = ["score", "confidence"]
  /// Fields that say nothing about the shape, as detectors write them.
  static let others = [
    "id", "area", "iscrowd", "class_id", "segmentation", "keypoints",
    "num_keypoints",
  ]
  /// The field with the number of a category, which has its name elsewhere.
  static let category = "category_id"
  /// The field with the number of the image that a region is in.
  static let imageID = "image_id"
  /// Fields with the name of the image that a region is in.
  static let imageNames = ["image", "file_name", "filename"]
  /// The names of all fields other than the shape's.
  static let beside =
    labels + scores + [category, imageID] + imageNames + others + ["normalized"]
  /// Fields that say what a region is; the first that is there counts.
  static let labels = ["label", "name", "class", "category"]

  /// The position of the region in the text, for messages about all of it.
  var place: TextPosition
  /// The region's name in messages, such as `regions[2]` or `the region`.
  var name: String
  var values: [String: (length: Length, place: TextPosition)] = [:]
  /// The remedy to suggest where numbers can only be fractions but were read as pixels.
  var fractionHint = "say normalized: true, in CSV in a column of that name"
  /// True if it comes from a detector, which finds nothing as small as a pixel.
  var isDetected = false

  /// The rectangle that the fields describe.
  ///
  /// - Throws: `RegionsError.malformed` when they describe none, or two.
  func rectangle() throws(RegionsError) -> MaskShape {
    let ways: [(x: String, y: String, farX: String, farY: String, isExtent: Bool)] = [
      ("x", "y", "width", "height", true), ("x", "y", "w", "h", true),
      ("left", "top", "right", "bottom", false), ("x1", "y1", "x2", "y2", false),
      ("left", "top", "width", "height", true), ("left", "top", "w", "h", true),
      ("xmin", "ymin", "xmax", "ymax", false), ("xmin", "ymin", "width", "height", true),
    ]
    let given = Set(values.keys).subtracting(["radius"])
    guard let way = ways.first(where: { Set([$0.x, $0.y, $0.farX, $0.farY]) == given }) else {
      throw error(
        place,
        "\(name) has " + (given.isEmpty ? "no numbers" : given.sorted().joined(separator: ", "))
          + "; a region has x, y, width, height, or left, top, right, bottom, or x1, y1, x2, y2, "
          + "or xmin, ymin, xmax, ymax, or one of bbox, box, polygon, ellipse")
    }
    let x = values[way.x]?.length ?? 0
    let y = values[way.y]?.length ?? 0
    let width = try extent(way.farX, from: x, "the left side", way.isExtent)
    let height = try extent(way.farY, from: y, "the top", way.isExtent)
    try checkUnits(x, y, width, height)
    return .rectangle(x: x, y: y, width: width, height: height, radius: try radius())
  }

  /// Refuses what can only be fractions taken for pixels: what they mean would stay uncovered.
  private func checkUnits(
    _ x: Length, _ y: Length, _ width: Length, _ height: Length
  ) throws(RegionsError) {
    let isPart = [width, height].contains { $0.unit == .pixels && $0.value < 1 }
    let isInFirstPixel =
      width.unit == .pixels && x.value + width.value <= 1 && y.value + height.value <= 1
    guard isPart || isDetected && isInFirstPixel else { return }
    throw error(
      place,
      "\(name) is \(width) × \(height); where these are fractions of the image, \(fractionHint)")
  }

  private func extent(
    _ part: String, from near: Length, _ side: String, _ isExtent: Bool
  ) throws(RegionsError) -> Length {
    guard let far = values[part] else { throw error(place, "\(name) has no \(part)") }
    if isExtent {
      guard far.length.value > 0 else {
        throw error(far.place, "\(name): \(part) is \(far.length); it must be over 0")
      }
      return far.length
    }
    guard far.length.unit == near.unit else {
      throw error(far.place, "\(name): \(part) must be in the same unit as \(side)")
    }
    guard far.length.value > near.value else {
      throw error(far.place, "\(name): \(part) is \(far.length); it must be over \(near), \(side)")
    }
    return Length(far.length.value - near.value, near.unit)
  }

  private func radius() throws(RegionsError) -> Length {
    guard let radius = values["radius"] else { return 0 }
    guard radius.length.value >= 0 else {
      throw error(radius.place, "\(name): radius is \(radius.length); it must be 0 or more")
    }
    return radius.length
  }

  func error(_ place: TextPosition, _ reason: String) -> RegionsError {
    .malformed(path: "", place: place, reason: reason)
  }
}

extension Length {
  /// A number from a file: pixels, or a fraction of the image where they are said to be.
  ///
  /// - Returns: `nil` for a fraction far outside the image, which is a number of pixels.
  init?(number: Double, isNormalized: Bool) {
    guard number.isFinite else { return nil }
    guard isNormalized else {
      self.init(number)
      return
    }
    guard (-1...2).contains(number) else { return nil }
    self.init(number * 100, .percent)
  }
}
