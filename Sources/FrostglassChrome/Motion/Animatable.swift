public import FrostglassCore

/// What can be between two values.
public protocol Animatable: Sendable, Hashable {
  /// The value at a fraction of the way to another: itself at 0, the other at 1.
  func moved(toward other: Self, by fraction: Double) -> Self
}

extension Double: Animatable {
  public func moved(toward other: Double, by fraction: Double) -> Double {
    self + (other - self) * fraction
  }
}

extension LayoutRect: Animatable {
  public func moved(toward other: LayoutRect, by fraction: Double) -> LayoutRect {
    LayoutRect(
      x: x.moved(toward: other.x, by: fraction), y: y.moved(toward: other.y, by: fraction),
      width: width.moved(toward: other.width, by: fraction),
      height: height.moved(toward: other.height, by: fraction))
  }
}
