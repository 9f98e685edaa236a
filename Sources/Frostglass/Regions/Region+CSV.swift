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
    var picture: RegionsFile.PictureKey?
    var isNormalized = false
    if let place = names.firstIndex(of: "normalized") { isNormalized = try row[place].bool() }
    for (name, field) in zip(names, row) {
      if RegionFields.labels.contains(name) {
        labels[name] = field.text.isEmpty ? nil : field.text
      } else if RegionFields.scores.contains(name) {
        scores[name] = Double(field.text)
      } else if RegionFields.pictureNames.contains(name), !field.text.isEmpty {
        picture = .name(field.text)
      } else if name == RegionFields.pictureID, picture == nil, !field.text.isEmpty {
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
