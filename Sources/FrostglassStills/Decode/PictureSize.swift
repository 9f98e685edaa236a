public import FrostglassCore

/// How large a picture is wanted.
public enum PictureSize: Sendable, Hashable {
  /// As large as it is.
  case own
  /// Stretched or shrunk to a size, whatever its shape; both sides at least 1.
  case exact(Size)
  /// As wide as this, 1 or more, in its own shape.
  case width(Int)

  /// The size for a picture that has another, never below 1×1.
  public func size(of own: Size) -> Size {
    switch self {
    case .own: return own
    case .exact(let size): return size
    case .width(let width):
      let height = Double(own.height) * Double(width) / Double(own.width)
      return Size(width: width, height: max(1, Int(height.rounded())))
    }
  }
}
