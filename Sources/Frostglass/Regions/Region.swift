/// A shape in a picture with what is known about it, as a detector gives it.
public struct Region: Sendable, Hashable {
  /// What it covers.
  public var shape: MaskShape
  /// What it is, such as `face`; for people and audits.
  public var label: String?

  /// A region; the label is for people.
  public init(_ shape: MaskShape, label: String? = nil) {
    self.shape = shape
    self.label = label
  }
}

extension Region {
  /// More is no list of regions.
  private static let mostMebibytes = 64

  /// Reads regions from a JSON or CSV file, whichever it is; the formats are in docs/regions.md.
  ///
  /// - Throws: `RegionsError`; what is wrong in the file with line and column.
  public static func list(file path: String) throws(RegionsError) -> [Region] {
    let text = try contents(path)
    do throws(RegionsError) { return try list(text: text) } catch { throw error.inFile(path) }
  }

  /// Reads regions from the text of a JSON or CSV file: JSON begins with `[` or `{`.
  ///
  /// - Throws: `RegionsError.malformed` or `.empty`.
  public static func list(text: String) throws(RegionsError) -> [Region] {
    // Some programs begin a file with a mark of its byte order.
    let text = text.first == "\u{FEFF}" ? String(text.dropFirst()) : text
    let first = text.first { !$0.isWhitespace }
    let regions = try first == "[" || first == "{" ? list(json: text) : list(csv: text)
    guard !regions.isEmpty else { throw .empty(path: "") }
    return regions
  }

  private static func contents(_ path: String) throws(RegionsError) -> String {
    do throws(TextFile.Failure) {
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

extension MaskPicture {
  /// Reads a channel of an image file.
  ///
  /// Samples are taken as they are stored, whatever color profile the file has: a mask is numbers,
  /// not colors.
  ///
  /// - Parameter maxPixels: larger files are refused.
  /// - Throws: `FrostglassError.decode`.
  public init(
    file path: String, _ channel: MaskChannel = .automatic,
    maxPixels: Int = DecodeOptions().maxPixels
  ) throws(FrostglassError) {
    let decoder = StillDecoder(DecodeOptions(maxPixels: maxPixels, profile: .keep))
    self.init(try mapped(FrostglassError.decode, decoder.decode(.file(path)).image), channel)
  }
}

/// Why a file of regions cannot be read.
public enum RegionsError: Error, Sendable, Hashable, CustomStringConvertible {
  /// There is no such file.
  case missing(path: String)
  /// The file cannot be read, for a reason of the system.
  case unreadable(path: String, reason: String)
  /// Something is wrong in the file. `path` is empty for text in memory.
  case malformed(path: String, place: TextPosition, reason: String)
  /// There is no region in it.
  case empty(path: String)

  /// What happened, in words for the one who asked for it.
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
        + "there are no regions in it; give at least one, or leave this picture out"
    }
  }

  /// The same error, in a file.
  func inFile(_ path: String) -> RegionsError {
    switch self {
    case .malformed("", let place, let reason):
      .malformed(path: path, place: place, reason: reason)
    case .empty(""): .empty(path: path)
    default: self
    }
  }
}
