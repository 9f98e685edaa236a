public import FrostglassCore
internal import FrostglassStills

/// A shape in an image with what is known about it, as a detector gives it.
public struct Region: Sendable, Hashable {
  /// The area it covers.
  public var shape: MaskShape
  /// The label, such as `face`; for people and audits.
  public var label: String?
  /// The detector's confidence, as its file gives it: usually from 0 to 1.
  public var score: Double?

  /// A region; label and score are for people and filters.
  public init(_ shape: MaskShape, label: String? = nil, score: Double? = nil) {
    self.shape = shape
    self.label = label
    self.score = score
  }
}

extension Region {
  /// Reads regions from a file, also as detectors write them; docs/use/regions.md has the formats.
  ///
  /// - Parameters:
  ///   - picture: the image whose regions are read, if the file has several.
  ///   - format: the format, if the structure is ambiguous.
  /// - Throws: `RegionsError`; errors in the file with line and column.
  public static func list(
    file path: String, of picture: RegionsImage = .only, as format: RegionsFormat? = nil
  ) throws(RegionsError) -> [Region] {
    try RegionsFile(file: path, as: format).selection(picture).regions
  }

  /// Reads regions from the text of such a file: JSON begins with `[` or `{`, the rest is CSV.
  ///
  /// - Parameters:
  ///   - picture: the image whose regions are read, if the text has several.
  ///   - format: the format, if the structure is ambiguous.
  /// - Throws: `RegionsError`.
  public static func list(
    text: String, of picture: RegionsImage = .only, as format: RegionsFormat? = nil
  ) throws(RegionsError) -> [Region] {
    try RegionsFile(text: text, as: format).selection(picture).regions
  }
}

extension MaskImage {
  /// Reads a channel of an image file.
  ///
  /// Samples are used as stored; color profiles are ignored, as a mask is numbers,
  /// not colors.
  ///
  /// - Parameters:
  ///   - maxPixels: larger files are refused.
  ///   - maxMemory: the most bytes that may be needed, including the image that the mask is a channel of; `nil` is
  ///     half of the machine's memory.
  /// - Throws: `FrostglassError.decode`.
  public init(
    file path: String, _ channel: MaskChannel = .automatic,
    maxPixels: Int = DecodeOptions().maxPixels, maxMemory: Int? = nil
  ) throws(FrostglassError) {
    let decoder = StillDecoder(DecodeOptions(maxPixels: maxPixels, maxMemory: maxMemory))
    self = try mapped(FrostglassError.decode, decoder.maskImage(.file(path), channel))
  }
}

/// An error in reading a file of regions.
public enum RegionsError: Error, Sendable, Hashable, CustomStringConvertible {
  /// There is no such file.
  case missing(path: String)
  /// The file cannot be read, for a reason of the system.
  case unreadable(path: String, reason: String)
  /// The file is invalid. `path` is empty for text in memory.
  case malformed(path: String, place: TextPosition, reason: String)
  /// The file has no regions.
  case empty(path: String)
  /// The file has regions of several images, and none or more than one of them matches the name.
  case otherImages(path: String, pictures: [String], reason: String)
  /// The file has regions of other images only, and does not list this one.
  case unknownImage(path: String, pictures: [String], picture: String)
  /// The file lists the image, without regions.
  case noRegions(path: String, picture: String)
  /// The options do not fit the file: it has no scores, for example, or none of the labels.
  case unfit(path: String, reason: String)
  /// The filter excludes all regions of the image.
  case allLeftOut(path: String, picture: String?, leftOut: RegionFilter.LeftOut)

  /// A user-facing description of the error.
  public var description: String {
    switch self {
    case .missing(let path):
      "\(path): there is no such file; give the path of a JSON or CSV file with regions"
    case .unreadable(let path, let reason):
      "\(path): cannot be read (\(reason)); give a JSON or CSV file with regions"
    case .malformed(let path, let place, let reason):
      (path.isEmpty ? "" : "\(path):") + "\(place.short): \(reason)"
    case .empty(let path):
      (path.isEmpty ? "" : "\(path): ")
        + "there are no regions in it; give at least one, or leave this image out"
    case .otherImages(let path, let pictures, let reason):
      (path.isEmpty ? "" : "\(path): ")
        + "it has regions of \(Self.list(pictures)), and \(reason); name one of them with "
        + "--regions-of"
    case .unknownImage(let path, let pictures, let picture):
      (path.isEmpty ? "" : "\(path): ")
        + "it has regions of \(Self.list(pictures)), and \(picture) is none of them; name one of "
        + "them with --regions-of"
    case .noRegions(let path, let picture):
      (path.isEmpty ? "" : "\(path): ")
        + "there are no regions of \(picture) in it; give at least one, or leave this image out"
    case .unfit(let path, let reason): (path.isEmpty ? "" : "\(path): ") + reason
    case .allLeftOut(let path, let picture, let leftOut):
      (path.isEmpty ? "" : "\(path): ")
        + "all regions" + (picture.map { " of \($0)" } ?? "") + " are left out (\(leftOut)); take "
        + "more of them, or leave this image out"
    }
  }

  /// A few of the images, and how many there are.
  private static func list(_ pictures: [String]) -> String {
    guard pictures.count > 4 else { return pictures.joined(separator: ", ") }
    return pictures.prefix(3).joined(separator: ", ") + " and \(pictures.count - 3) others"
  }

  /// Returns the same error for a file.
  func inFile(_ path: String) -> RegionsError {
    switch self {
    case .malformed("", let place, let reason):
      .malformed(path: path, place: place, reason: reason)
    case .empty(""): .empty(path: path)
    case .otherImages("", let pictures, let reason):
      .otherImages(path: path, pictures: pictures, reason: reason)
    case .unknownImage("", let pictures, let picture):
      .unknownImage(path: path, pictures: pictures, picture: picture)
    case .noRegions("", let picture): .noRegions(path: path, picture: picture)
    case .unfit("", let reason): .unfit(path: path, reason: reason)
    case .allLeftOut("", let picture, let leftOut):
      .allLeftOut(path: path, picture: picture, leftOut: leftOut)
    default: self
    }
  }
}

/// A filter that selects regions of a file, and their boxes or outlines.
public struct RegionFilter: Sendable, Hashable {
  /// From 0 to 1: regions with a lower score are left out, those without any are taken. `nil` takes all.
  public var minimumScore: Double?
  /// Only regions with one of these labels are taken, in capitals or not; empty takes all.
  public var labels: [String]
  /// True if outlines are taken instead of boxes, where a detector gives both.
  public var takesOutlines: Bool

  /// Creates a filter that takes all regions by default.
  public init(minimumScore: Double? = nil, labels: [String] = [], takesOutlines: Bool = false) {
    self.minimumScore = minimumScore
    self.labels = labels
    self.takesOutlines = takesOutlines
  }

  /// The number of regions that were left out.
  public struct LeftOut: Sendable, Hashable, CustomStringConvertible {
    /// The number of regions with another label.
    public var byLabel = 0
    /// The number of regions with one of the labels, but too low a score.
    public var byScore = 0

    /// None yet.
    public init() {}

    /// The number of all of them.
    public var count: Int { byLabel + byScore }

    /// Such as `2 by score, 1 by label`.
    public var description: String {
      [(byScore, "score"), (byLabel, "label")].filter { $0.0 > 0 }.map { "\($0.0) by \($0.1)" }
        .joined(separator: ", ")
    }

    /// Counts those of another image too.
    public static func += (left: inout LeftOut, right: LeftOut) {
      left.byLabel += right.byLabel
      left.byScore += right.byScore
    }
  }

  /// Returns the regions of one image that the filter takes.
  func taken(_ entries: [RegionsFile.Entry]) -> (regions: [Region], leftOut: LeftOut) {
    var leftOut = LeftOut()
    var regions: [Region] = []
    for entry in entries {
      var region = entry.region
      if !takes(label: region.label) {
        leftOut.byLabel += 1
      } else if !takes(score: region.score) {
        leftOut.byScore += 1
      } else {
        if takesOutlines, let outline = entry.outline { region.shape = outline }
        regions.append(region)
      }
    }
    return (regions, leftOut)
  }

  /// Returns true if the filter takes regions with this label.
  func takes(label: String?) -> Bool { labels.isEmpty || Self.isAmong(labels, label) }

  /// Returns true if the filter takes regions with this score.
  func takes(score: Double?) -> Bool {
    guard let minimumScore, let score else { return true }
    return score >= minimumScore
  }

  private static func isAmong(_ labels: [String], _ label: String?) -> Bool {
    label.map { label in labels.contains { $0.lowercased() == label.lowercased() } } ?? false
  }

  /// Finds what cannot be meant where these are all scores and labels that there are.
  ///
  /// - Parameter thing: the name of their owner, such as `region`.
  /// - Returns: labels of the filter that nothing has.
  /// - Throws: `RegionsError.unfit` where there are no scores, or none of the labels.
  func check(
    scores: [Double], labels known: Set<String>, of thing: String, path: String
  ) throws(RegionsError) -> [String] {
    if minimumScore != nil {
      guard !scores.isEmpty else {
        throw .unfit(path: path, reason: "its \(thing)s have no scores; leave out --min-score")
      }
      if let score = scores.first(where: { !(0...1).contains($0) }) {
        throw .unfit(
          path: path,
          reason: "there is a score of \(score); --min-score compares scores from 0 to 1")
      }
    }
    guard !labels.isEmpty else { return [] }
    let known = known.sorted()
    guard !known.isEmpty else {
      throw .unfit(path: path, reason: "its \(thing)s have no labels; leave out --labels")
    }
    let missing = labels.filter { !Self.isAmong(known, $0) }
    guard missing.count < labels.count else {
      let shown = known.prefix(12).joined(separator: ", ")
      throw .unfit(
        path: path,
        reason: "no \(thing) has the label \(missing.joined(separator: " or "))"
          + DidYouMean.hint(for: missing[0], in: known) + "; there are \(shown)"
          + (known.count > 12 ? " and \(known.count - 12) more" : ""))
    }
    return missing
  }
}

extension RegionsFile {
  /// Finds what cannot be meant by a filter in this file.
  ///
  /// - Returns: labels of the filter that no region here has.
  /// - Throws: `RegionsError.unfit` where the file has no scores, or none of the labels.
  public func check(_ filter: RegionFilter) throws(RegionsError) -> [String] {
    try filter.check(
      scores: entries.compactMap(\.region.score),
      labels: Set(entries.compactMap(\.region.label)).union(categories), of: "region", path: path)
  }
}
