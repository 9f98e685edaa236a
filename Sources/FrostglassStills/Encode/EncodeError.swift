public import FrostglassCore

/// Why an image could not be written.
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

  /// What happened, in words for the one who asked for it.
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
      "the picture cannot be written as \(list([format])) (\(reason)); try another format"
    case .profile(let format):
      "\(list([format])) cannot hold a color profile; convert to sRGB, or write another format"
    case .unsupportedImage(let format, let found, let accepted):
      "\(list([format])) cannot hold \(found); accepted is \(accepted)"
    case .tooLarge(let format, let size, let limit, let others):
      "\(list([format])) cannot hold \(size) pixels; it takes up to \(limit); "
        + (others.isEmpty ? "make the picture smaller" : "that size fits \(list(others))")
    case .invalidQuality(let quality):
      "quality \(quality) does not exist; accepted is 1 to 100"
    case .invalidEffort(let effort):
      "effort \(effort) does not exist; accepted is 0 to 9"
    case .codecUnavailable(let reason):
      "the image library libvips did not start (\(reason)); check that it is installed completely"
    }
  }
}
