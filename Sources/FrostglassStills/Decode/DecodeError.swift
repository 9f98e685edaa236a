public import FrostglassCore

/// Why an image could not be read.
public enum DecodeError: Error, Sendable, Hashable, CustomStringConvertible {
  /// There is no such file.
  case missing(path: String)
  /// The path is a folder's.
  case isDirectory(path: String)
  /// The file cannot be read, for a reason of the system.
  case unreadable(path: String, reason: String)
  /// There is not a byte in it.
  case empty(name: String)
  /// It is none of the formats that can be read.
  case unknownFormat(name: String, accepted: [StillFormat])
  /// It ends too soon, or contradicts itself.
  case damaged(name: String, reason: String)
  /// It has more pixels than are allowed.
  case tooManyPixels(name: String, size: Size, limit: Int)
  /// What is to be done with the picture takes more bytes than it may.
  case tooMuchMemory(name: String, size: Size, need: Int, limit: Int)
  /// Its pixels are of a kind that is not read.
  case unsupportedPixels(name: String, found: String)
  /// It is a file of a kind that is not read, though its format is: in words such as `a BMP with
  /// run-length coding`.
  case unsupportedKind(name: String, found: String)
  /// It has fewer frames than the one that was asked for.
  case noSuchFrame(name: String, frame: Int, count: Int)
  /// libvips cannot be used here.
  case codecUnavailable(reason: String)

  /// What happened, in words for the one who asked for it.
  public var description: String {
    switch self {
    case .missing(let path) where path.utf8.last == UInt8(ascii: "\r"):
      "\(path): there is no such file, and its name ends with a carriage return (is this list from "
        + "Windows?); end lines with a line feed alone"
    case .missing(let path):
      "\(path): there is no such file; give the path of an existing image"
    case .isDirectory(let path):
      "\(path): this is a directory; give an image file"
    case .unreadable(let path, let reason):
      "\(path): cannot be read (\(reason)); give a file that you may read"
    case .empty(let name):
      "\(name): there is no data in it; give a whole image file"
    case .unknownFormat(let name, let accepted):
      "\(name): this is not an image of a known format; accepted are \(list(accepted))"
    case .damaged(let name, let reason):
      "\(name): the image is damaged or incomplete (\(reason)); give an intact copy"
    case .tooManyPixels(let name, let size, let limit):
      "\(name): \(size) pixels are more than the allowed \(limit); give a smaller image or raise "
        + "the limit to \(size.area)"
    case .tooMuchMemory(let name, let size, let need, let limit):
      "\(name): \(size) pixels would take about \(ByteCount(need)) of memory here, more than the "
        + "allowed \(ByteCount(limit)); give a smaller image or raise the limit"
    case .unsupportedPixels(let name, let found):
      "\(name): its samples are \(found); accepted are unsigned 8 and 16 bits and 32-bit "
        + "floating point"
    case .unsupportedKind(let name, let found):
      "\(name): this is \(found), which is not read; save it in another way"
    case .noSuchFrame(let name, let frame, let count):
      "\(name): there is no frame \(frame); "
        + (count == 1 ? "it has one" : "accepted is 1 to \(count)")
    case .codecUnavailable(let reason):
      "the image library libvips did not start (\(reason)); check that it is installed completely"
    }
  }
}
