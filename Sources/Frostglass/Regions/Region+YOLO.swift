internal import FrostglassCore
package import FrostglassStills

extension RegionsFile {
  /// Reads a folder of labels as YOLO has them, and the folders below: a text file for each image, of
  /// its name, with a line for each region.
  ///
  /// A line is the number of a class and center, width and height as fractions of the image, or the
  /// corners of a polygon; behind a box may stand a score. The names of
  /// classes are the lines of `classes.txt`, where there is one.
  ///
  /// - Throws: `RegionsError`; what is wrong in a file with line and column.
  public init(folder path: String) throws(RegionsError) {
    let files = try Self.labels(in: path, below: "", depth: 0)
    let classes =
      try files.contains("classes")
      ? YOLOClasses(Self.contents("\(path)/classes.txt")) : YOLOClasses()
    var entries: [Entry] = []
    var pictures: [ImageEntry] = []
    for file in files where file != "classes" {
      pictures.append(ImageEntry(name: file, isStem: true))
      do {
        let text = try Self.contents("\(path)/\(file).txt")
        entries += try YOLOLabels(text, classes, before: entries.count).regions.map {
          Entry(region: $0.region, picture: .name(file), place: $0.place)
        }
      } catch { throw error.inFile("\(path)/\(file).txt") }
    }
    guard !entries.isEmpty else { throw .empty(path: path) }
    self.init(entries, pictures, categories: classes.names, path: path)
  }

  /// Names of text files below a folder, without `.txt`, in order.
  static func labels(
    in root: String, below: String, depth: Int
  ) throws(RegionsError) -> [String] {
    let names: [String]
    do { names = try namesOfFiles(in: "\(root)/\(below)") } catch {
      throw .unreadable(path: "\(root)/\(below)", reason: error.words)
    }
    var found: [String] = []
    for name in names where !name.hasPrefix(".") {
      if name.hasSuffix(".txt") {
        found.append(below + name.dropLast(4))
      } else if depth < 8, Folder.isThere("\(root)/\(below)\(name)") {
        found += try labels(in: root, below: "\(below)\(name)/", depth: depth + 1)
      }
    }
    return found.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}

/// The lines of one file of labels.
struct YOLOLabels {
  private(set) var regions: [(region: Region, place: TextPosition)] = []

  /// - Parameter before: regions of the files read before this one, which count for the limit.
  init(_ text: String, _ classes: YOLOClasses, before: Int) throws(RegionsError) {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      let words = line.split(whereSeparator: \.isWhitespace)
      guard let first = words.first else { continue }
      let place = TextPosition(line: index + 1, column: 1)
      let numbers = words.dropFirst().compactMap { Double($0) }
      guard let number = Int(first), number >= 0, numbers.count == words.count - 1,
        let shape = Self.shape(numbers)
      else {
        throw .malformed(
          path: "", place: place,
          reason:
            "\(line.prefix(60)) is no region; it must be a class, and center, width and height "
            + "or three and more corners, from 0 to 1")
      }
      try RegionsFile.checkCount(before + regions.count + 1, at: place)
      let label = classes.name(number, or: first)
      let score = numbers.count == 5 ? numbers[4] : nil
      regions.append((Region(shape, label: label, score: score), place))
    }
  }

  /// The shape that the numbers behind a class describe; `nil` where they are none.
  static func shape(_ numbers: [Double]) -> MaskShape? {
    guard numbers.count >= 4, numbers.allSatisfy({ (-1...2).contains($0) }) else { return nil }
    func length(_ value: Double) -> Length { Length(value * 100, .percent) }
    if numbers.count <= 5 {
      guard numbers[2] > 0, numbers[3] > 0 else { return nil }
      return .rectangle(
        x: length(numbers[0] - numbers[2] / 2), y: length(numbers[1] - numbers[3] / 2),
        width: length(numbers[2]), height: length(numbers[3]))
    }
    // Three corners are written like a box with a score and the number of a track.
    guard numbers.count % 2 == 0, numbers.count > 6 || numbers[5] != numbers[5].rounded() else {
      return nil
    }
    return .polygon(
      stride(from: 0, to: numbers.count, by: 2).map {
        MaskShape.Corner(x: length(numbers[$0]), y: length(numbers[$0 + 1]))
      })
  }
}

/// The names of YOLO's classes: the lines of `classes.txt`.
struct YOLOClasses {
  /// By number; empty for a class without a name, so that those behind it keep their numbers.
  private let lines: [String]

  init(_ text: String = "") {
    let text = text.first == "\u{FEFF}" ? String(text.dropFirst()) : text
    // A line of Windows ends with one character of two, which is no "\n".
    lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map { trimmed($0) }
  }

  /// The names of all classes that have one.
  var names: [String] { lines.filter { !$0.isEmpty } }

  /// Returns the name of a class, or `word`, its text in the label file, if it has none.
  func name(_ number: Int, or word: Substring) -> String {
    lines.indices.contains(number) && !lines[number].isEmpty ? lines[number] : String(word)
  }
}

extension RegionsFile {
  /// Reads the regions that an image carries in its XMP, such as faces that a camera or a photo program marked.
  ///
  /// They are those of the upright image, whatever orientation it is stored in, with their kind as label.
  ///
  /// - Returns: the regions, and the state of the image's file.
  /// - Throws: `RegionsError.noRegions` where it carries none, and `.unfit` where one of them cannot be understood or
  ///   may be missing, and for what is no regular file.
  package static func inMetadata(
    of path: String, maxPixels: Int
  ) throws(RegionsError) -> (file: RegionsFile, version: FileVersion) {
    let reader: StillReader
    do throws(DecodeError) {
      reader = try StillDecoder(DecodeOptions(maxPixels: maxPixels)).reader(of: .file(path))
    } catch {
      switch error {
      case .missing: throw .missing(path: path)
      case .unreadable(_, let reason): throw .unreadable(path: path, reason: reason)
      default: throw .unfit(path: "", reason: "\(error)")
      }
    }
    guard let version = reader.version else {
      throw .unfit(path: path, reason: "it is read twice, and must be a file")
    }
    guard !reader.metadata.lacksXMP else {
      throw .unfit(
        path: path,
        reason:
          "a part of its XMP is missing or too long, and may hold more regions; give them with --regions"
      )
    }
    let none = RegionsError.noRegions(path: path, picture: "people or things")
    guard let packet = reader.metadata.xmp else { throw none }
    guard let list = XMPRegion.list(in: packet, reader.header.size) else {
      throw .unfit(
        path: path,
        reason:
          "the regions in its XMP cannot all be understood, and none is taken; give them with --regions"
      )
    }
    guard !list.regions.isEmpty else { throw none }
    let entries = list.regions.map { region in
      let sides = region.box.map { Length($0 * 100, .percent) }
      return Entry(
        region: Region(
          .rectangle(x: sides[0], y: sides[1], width: sides[2], height: sides[3]),
          label: region.kind), picture: nil, place: TextPosition(line: 1, column: 1))
    }
    let file = RegionsFile(
      entries, [ImageEntry(name: path, size: list.size)], categories: [], path: path)
    return (file, version)
  }
}
