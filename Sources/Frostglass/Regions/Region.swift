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
    file path: String, of picture: RegionsPicture = .only, as format: RegionsFormat? = nil
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
    text: String, of picture: RegionsPicture = .only, as format: RegionsFormat? = nil
  ) throws(RegionsError) -> [Region] {
    try RegionsFile(text: text, as: format).selection(picture).regions
  }
}

extension MaskPicture {
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
    self = try mapped(FrostglassError.decode, decoder.maskPicture(.file(path), channel))
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
  case otherPictures(path: String, pictures: [String], reason: String)
  /// The file has regions of other images only, and does not list this one.
  case unknownPicture(path: String, pictures: [String], picture: String)
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
    case .otherPictures(let path, let pictures, let reason):
      (path.isEmpty ? "" : "\(path): ")
        + "it has regions of \(Self.list(pictures)), and \(reason); name one of them with "
        + "--regions-of"
    case .unknownPicture(let path, let pictures, let picture):
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
    case .otherPictures("", let pictures, let reason):
      .otherPictures(path: path, pictures: pictures, reason: reason)
    case .unknownPicture("", let pictures, let picture):
      .unknownPicture(path: path, pictures: pictures, picture: picture)
    case .noRegions("", let picture): .noRegions(path: path, picture: picture)
    case .unfit("", let reason): .unfit(path: path, reason: reason)
    case .allLeftOut("", let picture, let leftOut):
      .allLeftOut(path: path, picture: picture, leftOut: leftOut)
    default: self
    }
  }
}
