/// Why two images cannot be compared.
public enum ComparisonError: Error, Sendable, Hashable, CustomStringConvertible {
  case sizesDiffer(Size, Size)

  public var description: String {
    switch self {
    case .sizesDiffer(let first, let second):
      "images of \(first) and \(second) cannot be compared; they must have the same size"
    }
  }
}
