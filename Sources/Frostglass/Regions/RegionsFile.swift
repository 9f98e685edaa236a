public import FrostglassCore

/// Regions as a file lists them: of one image, or of several, as in COCO.
public struct RegionsFile: Sendable, Hashable {
  /// A region, and its reference to an image.
  struct Entry: Sendable, Hashable {
    var region: Region
    /// The exact area it covers, if the file gives more than a box.
    var outline: MaskShape?
    var picture: ImageKey?
    var place: TextPosition
  }

  /// A region's reference to its image.
  enum ImageKey: Sendable, Hashable {
    case id(String)
    case name(String)
  }

  /// An image that the file speaks of.
  struct ImageEntry: Sendable, Hashable {
    var id: String?
    var name: String?
    var size: Size?
    /// True if the name is an image's name without its extension.
    var isStem = false

    /// The name in messages.
    var words: String { name ?? id.map { "id \($0)" } ?? "an image without a name" }
  }

  private(set) var entries: [Entry]
  private var pictures: [ImageEntry]
  /// Labels that the file lists, whether regions have them or not.
  private(set) var categories: [String] = []
  private(set) var path = ""

  /// Reads a file, also as detectors write them; the formats are in docs/use/regions.md.
  ///
  /// - Parameter format: the format, where the structure does not tell.
  /// - Throws: `RegionsError`; what is wrong in the file with line and column.
  public init(file path: String, as format: RegionsFormat? = nil) throws(RegionsError) {
    let text = try Self.contents(path)
    do { self = try RegionsFile(text: text, as: format) } catch {
      throw error.inFile(path)
    }
    self.path = path
  }

  /// Reads the text of such a file: JSON begins with `[` or `{`, the rest is CSV.
  ///
  /// - Parameter format: the format, where the structure does not tell.
  /// - Throws: `RegionsError.malformed` or `.empty`.
  public init(text: String, as format: RegionsFormat? = nil) throws(RegionsError) {
    // Some programs begin a file with a mark of its byte order.
    let text = text.first == "\u{FEFF}" ? String(text.dropFirst()) : text
    let first = text.first { !$0.isWhitespace }
    let isJSON = format.map { $0 != .csv } ?? (first == "[" || first == "{")
    let contents =
      try isJSON
      ? Region.document(json: text, as: format) : RegionsContents(entries: Region.rows(csv: text))
    (entries, pictures, categories) = (contents.entries, contents.pictures, contents.categories)
    if let last = entries.last { try Self.checkCount(entries.count, at: last.place) }
    guard !entries.isEmpty else { throw .empty(path: "") }
    var known = Set(pictures.flatMap(\.keys))
    for key in entries.compactMap(\.picture) where known.insert(key).inserted {
      pictures.append(ImageEntry(key))
    }
    try checkNames()
  }

  init(_ entries: [Entry], _ pictures: [ImageEntry], categories: [String], path: String) {
    (self.entries, self.pictures, self.path) = (entries, pictures, path)
    self.categories = categories
  }

  /// True if it has regions of more than one image, so that one has to be chosen.
  public var hasSeveralImages: Bool { pictures.count > 1 }

  /// Regions of one image.
  public struct Selection: Sendable, Hashable {
    /// The regions, one or more.
    public var regions: [Region]
    /// The size of the image in which they were found, where the file says so.
    public var imageSize: Size?
    /// The file's name for the image, where it has regions of several.
    public var picture: String?
    /// Regions of the image that the filter does not take.
    public var leftOut = RegionFilter.LeftOut()
  }

  /// The regions of one image that a filter takes.
  ///
  /// - Throws: `RegionsError.otherImages` where the image is none of the file's or could be several,
  ///   `.noRegions` where it has none, and `.allLeftOut` where the filter takes none.
  public func selection(
    _ choice: RegionsImage, _ filter: RegionFilter = RegionFilter()
  ) throws(RegionsError) -> Selection {
    guard !pictures.isEmpty else {
      let (regions, leftOut) = filter.taken(entries)
      guard !regions.isEmpty else {
        throw .allLeftOut(path: path, picture: nil, leftOut: leftOut)
      }
      return Selection(regions: regions, leftOut: leftOut)
    }
    let picture = try chosen(choice)
    // With one image there is nothing to be mistaken.
    let own = entries.filter { entry in
      entry.picture.map { picture.keys.contains($0) } ?? !hasSeveralImages
    }
    guard !own.isEmpty else { throw .noRegions(path: path, picture: picture.words) }
    let (regions, leftOut) = filter.taken(own)
    guard !regions.isEmpty else {
      throw .allLeftOut(path: path, picture: picture.name, leftOut: leftOut)
    }
    return Selection(
      regions: regions, imageSize: picture.size,
      picture: hasSeveralImages ? picture.words : nil, leftOut: leftOut)
  }

  private func chosen(_ choice: RegionsImage) throws(RegionsError) -> ImageEntry {
    switch choice {
    case .only:
      return try one(pictures, "it is not said which one is meant")
    case .called(let text):
      let named = nearest(pictures, to: text)
      let found = named.isEmpty ? pictures.filter { $0.id == text } : named
      guard !found.isEmpty else { throw stranger(text) }
      return try one(found, "\(text) could be each of them")
    case .file(let file):
      guard pictures.contains(where: { $0.name != nil }) else {
        return try one(pictures, "only ids tell them apart")
      }
      let found = nearest(pictures, to: file)
      guard !found.isEmpty else { throw stranger(file) }
      return try one(found, "\(file) could be each of them")
    }
  }

  private func one(_ found: [ImageEntry], _ reason: String) throws(RegionsError) -> ImageEntry {
    guard found.count == 1 else { throw others(reason, found) }
    return found[0]
  }

  private func stranger(_ picture: String) -> RegionsError {
    .unknownImage(path: path, pictures: pictures.map(\.words), picture: picture)
  }

  private func others(_ reason: String, _ found: [ImageEntry]? = nil) -> RegionsError {
    .otherImages(path: path, pictures: (found ?? pictures).map(\.words), reason: reason)
  }

  /// Those whose names end as a path does, with the most folders in common; none where not even the
  /// last part is alike.
  private func nearest(_ pictures: [ImageEntry], to path: String) -> [ImageEntry] {
    let stem = Self.stem(path)
    let common = pictures.map { picture in
      picture.name.map { Self.commonEnd($0, picture.isStem ? stem : path) } ?? 0
    }
    guard let most = common.max(), most > 0 else { return [] }
    return zip(pictures, common).filter { $1 == most }.map(\.0)
  }

  /// A path without the extension of its last part.
  private static func stem(_ path: String) -> String {
    guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/") else { return path }
    return String(path[..<dot])
  }

  private static func commonEnd(_ one: String, _ other: String) -> Int {
    func parts(_ path: String) -> [Substring] {
      path.split { $0 == "/" || $0 == "\\" }.filter { $0 != "." }.reversed()
    }
    return zip(parts(one), parts(other)).prefix { $0 == $1 }.count
  }

  /// Refuses two images with one id, and regions without an image in a file of several images.
  private func checkNames() throws(RegionsError) {
    var ids: Set<String> = []
    for id in pictures.compactMap(\.id) where !ids.insert(id).inserted {
      throw .otherImages(
        path: "", pictures: pictures.filter { $0.id == id }.map(\.words),
        reason: "they have the same id, \(id)")
    }
    guard hasSeveralImages, let lost = entries.first(where: { $0.picture == nil }) else { return }
    throw .malformed(
      path: "", place: lost.place,
      reason: "this region does not say of which of \(pictures.count) images it is; add image_id")
  }

  /// More is no list of regions.
  private static let mostMebibytes = 64

  /// Regions that a file may have, of all its images.
  static let mostRegions = 100_000

  /// Refuses a file with more regions than are kept.
  ///
  /// - Throws: `RegionsError.malformed`.
  static func checkCount(_ count: Int, at place: TextPosition) throws(RegionsError) {
    guard count <= mostRegions else {
      throw .malformed(
        path: "", place: place,
        reason: "more than \(mostRegions) regions; split the file, by images for one")
    }
    guard count % 64 != 0 || !ReadingTime.isOver else {
      throw .malformed(path: "", place: place, reason: ReadingTime.words)
    }
  }

  /// The text of a file of regions.
  static func contents(_ path: String) throws(RegionsError) -> String {
    do {
      return try TextFile.contents(path, most: mostMebibytes)
    } catch {
      switch error {
      case .missing: throw .missing(path: path)
      case .unreadable(let reason): throw .unreadable(path: path, reason: reason)
      case .notText(let place):
        throw .malformed(path: path, place: place, reason: TextFile.notUTF8)
      }
    }
  }
}

/// The content of a file of regions.
struct RegionsContents {
  var entries: [RegionsFile.Entry] = []
  var pictures: [RegionsFile.ImageEntry] = []
  /// Labels that regions may have, where the file lists them.
  var categories: [String] = []
}

extension RegionsFile.ImageEntry {
  /// An image without further properties.
  fileprivate init(_ key: RegionsFile.ImageKey) {
    switch key {
    case .id(let id): self.init(id: id)
    case .name(let name): self.init(name: name)
    }
  }

  /// The keys by which regions may refer to it.
  fileprivate var keys: [RegionsFile.ImageKey] {
    [id.map { .id($0) }, name.map { .name($0) }].compactMap { $0 }
  }
}

/// The image whose regions are wanted, where a file has those of several.
public enum RegionsImage: Sendable, Hashable {
  /// The only one in the file.
  case only
  /// The one whose file is at this path. Its name is compared, and as many folders as are needed to tell it apart.
  case file(String)
  /// The one with this name or id in the file.
  case called(String)
}

/// The format of a list of regions. docs/use/regions.md describes each, with references.
public enum RegionsFormat: String, Sendable, Hashable, CaseIterable {
  /// JSON with `regions`, or with COCO's `annotations`.
  case json
  /// A table, as pandas writes it too.
  case csv
  /// `to_json()` of Ultralytics, in pixels.
  case ultralytics
  /// `to_json()` of Ultralytics with fractions of the image. The file does not tell them from pixels.
  case ultralyticsNormalized = "ultralytics-normalized"
  /// Faces, instances of labels, and texts of AWS Rekognition.
  case rekognition
  /// Faces, objects, logos and texts of Google Cloud Vision.
  case googleVision = "google-vision"
  /// Azure Face, and people, objects, brands and texts of Azure Vision.
  case azure
  /// Detections of MediaPipe, in pixels or as fractions, as they say.
  case mediapipe
  /// `detect_faces()` of RetinaFace.
  case retinaface
  /// `extract_faces()`, `represent()` and `analyze()` of DeepFace.
  case deepface
}

extension RegionsFormat {
  /// The format that a document's structure tells.
  ///
  /// - Throws: `RegionsError.malformed` where it could be several.
  init(recognizing document: JSONValue) throws(RegionsError) {
    let found =
      switch document.content {
      case .object(let members): Self.formats(of: members)
      case .array(let list): Self.formats(ofElements: list)
      default: [RegionsFormat]()
      }
    guard found.count <= 1 else {
      throw .malformed(
        path: "", place: document.place,
        reason: "it could be \(found.map(\.rawValue).joined(separator: " or ")); "
          + "--regions-format says which")
    }
    self = found.first ?? .json
  }

  private static func formats(of members: [JSONValue.Member]) -> [RegionsFormat] {
    let known: [(format: RegionsFormat, names: Set<String>)] = [
      (.json, ["regions", "annotations"]),
      (.rekognition, ["facedetails", "labels", "textdetections"]),
      (
        .googleVision,
        [
          "responses", "faceannotations", "localizedobjectannotations", "textannotations",
          "logoannotations",
        ]
      ),
      (.azure, ["faces", "objects", "brands", "objectsresult", "peopleresult", "readresult"]),
      (.mediapipe, ["detections"]),
    ]
    let names = members.map(\.name.withoutStyle)
    var found = known.filter { !$0.names.isDisjoint(with: names) }.map(\.format)
    if members.contains(where: { $0.value.member("facial_area") != nil }) {
      found.append(.retinaface)
    }
    return found
  }

  private static func formats(ofElements list: [JSONValue]) -> [RegionsFormat] {
    let known: [(format: RegionsFormat, names: [[String]])] = [
      (.ultralytics, [["name", "class", "confidence", "box"]]),
      (.azure, [["faceRectangle"]]),
      (.mediapipe, [["locationData"], ["boundingBox", "categories"]]),
      (.deepface, [["facial_area"], ["region"]]),
    ]
    return known.filter { row in
      list.contains { element in
        row.names.contains { $0.allSatisfy { element.member($0) != nil } }
      }
    }.map(\.format)
  }
}

extension JSONValue {
  /// A member of an object that is not `null`, however programs write its name: `faceRectangle`,
  /// `FaceRectangle` or `face_rectangle`.
  func member(_ name: String) -> JSONValue? {
    guard case .object(let members) = content else { return nil }
    let plain = name.withoutStyle
    guard let value = members.first(where: { $0.name.withoutStyle == plain })?.value,
      value.content != .null
    else { return nil }
    return value
  }

  /// A text, or a number as text.
  var label: String? {
    switch content {
    case .string(let text): text
    case .number(let number):
      number == number.rounded() && abs(number) < 1e15 ? "\(Int(number))" : "\(number)"
    default: nil
    }
  }
}

extension String {
  /// A name without capitals and underscores.
  fileprivate var withoutStyle: String { lowercased().filter { $0 != "_" } }
}
