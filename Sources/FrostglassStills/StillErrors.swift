public import FrostglassCore

/// An error in reading an image.
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
  /// The work on the image needs more bytes than it may use.
  case tooMuchMemory(name: String, size: Size, need: Int, limit: Int)
  /// Its pixels are of a kind that is not read.
  case unsupportedPixels(name: String, found: String)
  /// It is a file of a kind that is not read, though its format is: in words such as `a BMP with
  /// run-length coding`.
  case unsupportedKind(name: String, found: String)
  /// Its samples are those of an HDR display, by a transfer function such as `PQ`.
  case hdr(name: String, transfer: String)
  /// It has fewer frames than the one that was asked for.
  case noSuchFrame(name: String, frame: Int, count: Int)
  /// It was replaced or written to between two times that it was read.
  case changed(name: String)
  /// libvips cannot be used here.
  case codecUnavailable(reason: String)

  /// A user-facing description of the error.
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
    case .hdr(let name, let transfer):
      "\(name): the HDR transfer function \(transfer) is not supported; convert the image to SDR, such "
        + "as sRGB or Display P3, first"
    case .noSuchFrame(let name, let frame, let count):
      "\(name): there is no frame \(frame); "
        + (count == 1 ? "it has one" : "accepted is 1 to \(count)")
    case .changed(let name):
      "\(name): \(FileVersion.changed)"
    case .codecUnavailable(let reason):
      "the image library libvips did not start (\(reason)); check that it is installed completely"
    }
  }
}

/// An error in writing an image.
public enum EncodeError: Error, Sendable, Hashable, CustomStringConvertible {
  /// There is a file already that may not be replaced.
  case exists(path: String)
  /// The file cannot be written, for a reason of the system.
  case unwritable(path: String, reason: String)
  /// Two outputs of one job have the same name; `-` is standard output.
  case namedTwice(path: String)
  /// The name's ending says no format that can be written.
  case unknownFormat(fileExtension: String, accepted: [StillFormat])
  /// The encoder refused.
  case cannotEncode(format: StillFormat, reason: String)
  /// Pixels that the format cannot hold.
  case unsupportedImage(format: StillFormat, found: String, accepted: String)
  /// Colors of a profile that would be lost, as the format cannot hold one.
  case profile(format: StillFormat)
  /// A frame has more pixels, in all or along a side, than the format takes; others would take it.
  case tooLarge(format: StillFormat, size: Size, limit: String, others: [StillFormat])
  /// A quality outside 1…100.
  case invalidQuality(Int)
  /// An effort outside 0…9.
  case invalidEffort(Int)
  /// libvips cannot be used here.
  case codecUnavailable(reason: String)

  /// A user-facing description of the error.
  public var description: String {
    switch self {
    case .exists(let path):
      "\(path): this file exists already; allow overwriting or give another name"
    case .unwritable(let path, let reason):
      "\(path): cannot be written (\(reason)); give a place that exists, is writable and has space"
    case .namedTwice(let path):
      "\(path): two outputs are this file; give each one of its own"
    case .unknownFormat("", let accepted):
      "the output name has no extension to tell the format; written are \(list(accepted))"
    case .unknownFormat(let fileExtension, let accepted):
      "\(fileExtension) is not a format that can be written; written are \(list(accepted))"
    case .cannotEncode(let format, let reason):
      "the image cannot be written as \(list([format])) (\(reason)); try another format"
    case .profile(let format):
      "\(list([format])) cannot hold a color profile; convert to sRGB, or write another format"
    case .unsupportedImage(let format, let found, let accepted):
      "\(list([format])) cannot hold \(found); accepted is \(accepted)"
    case .tooLarge(let format, let size, let limit, let others):
      "\(list([format])) cannot hold \(size) pixels; it takes up to \(limit); "
        + (others.isEmpty ? "make the image smaller" : "that size fits \(list(others))")
    case .invalidQuality(let quality):
      "quality \(quality) does not exist; accepted is 1 to 100"
    case .invalidEffort(let effort):
      "effort \(effort) does not exist; accepted is 0 to 9"
    case .codecUnavailable(let reason):
      "the image library libvips did not start (\(reason)); check that it is installed completely"
    }
  }
}
