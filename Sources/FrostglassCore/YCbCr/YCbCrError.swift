/// Why images are not the planes of a picture.
public enum YCbCrError: Error, Sendable, Hashable, CustomStringConvertible {
  case planeCount(Int, needed: Int)
  /// The name of a plane, what it is and what it would have to be.
  case plane(String, got: Plan.Input, accepted: Plan.Input)

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
