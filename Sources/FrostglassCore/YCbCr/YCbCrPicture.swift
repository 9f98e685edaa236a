/// A picture in planes of brightness and color differences, in memory.
public struct YCbCrPicture: Sendable {
  /// Width and height of the picture in pixels; color planes may have fewer.
  public let size: Size
  /// How pixels are laid out in the planes.
  public let format: YCbCrFormat
  /// As `format.planes(of: size)` describes them.
  public let planes: [Image]

  /// Puts planes together.
  ///
  /// - Parameter planes: brightness first, then blue and red differences or both in one; images of
  ///   codes, with any distance between rows.
  /// - Throws: `YCbCrError` when there are too few or too many, or when one is not as
  ///   `format.planes(of: size)` has it.
  public init(size: Size, format: YCbCrFormat, planes: [Image]) throws(YCbCrError) {
    let accepted = format.planes(of: size)
    guard planes.count == accepted.count else {
      throw .planeCount(planes.count, needed: accepted.count)
    }
    for (index, plane) in planes.enumerated() where Plan.Input(plane) != accepted[index] {
      throw .plane(format.planeNames[index], got: Plan.Input(plane), accepted: accepted[index])
    }
    self.size = size
    self.format = format
    self.planes = planes
  }
}

/// Why images are not the planes of a picture.
public enum YCbCrError: Error, Sendable, Hashable, CustomStringConvertible {
  /// There are not as many planes as the format has.
  case planeCount(Int, needed: Int)
  /// The name of a plane, what it is and what it would have to be.
  case plane(String, got: Plan.Input, accepted: Plan.Input)

  /// What happened, in words for the one who asked for it.
  public var description: String {
    switch self {
    case .planeCount(let count, let needed):
      "\(count) planes; this format has \(needed)"
    case .plane(let name, let got, let accepted):
      "the plane \(name) is \(got.size) \(got.format), \(got.transfer); it must be "
        + "\(accepted.size) \(accepted.format), \(accepted.transfer)"
    }
  }
}
