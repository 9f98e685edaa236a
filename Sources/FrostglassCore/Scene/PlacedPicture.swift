/// One of a scene's pictures, in its place.
///
/// Moved by whole pixels it is shown as it is; otherwise its pixels are interpolated linearly, which
/// serves sizes from half to any multiple of its own.
public struct PlacedPicture: Sendable, Hashable {
  /// Index into the scene's pictures.
  public var picture: Int
  /// From the picture's pixels to those of the canvas.
  public var transform: AffineTransform

  public init(_ picture: Int, transform: AffineTransform = .identity) {
    self.picture = picture
    self.transform = transform
  }

  /// Pixels of the canvas it touches.
  func bounds(of size: Size) -> Rect {
    let own = LayoutRect(x: 0, y: 0, width: Double(size.width), height: Double(size.height))
    // Interpolation fades the border out over a pixel.
    let fade = transform.wholeMove == nil ? 1 : 0
    let pixels = transform.bounds(of: own).pixels
    return Rect(
      columns: pixels.columns.expanded(by: fade), rows: pixels.rows.expanded(by: fade))
  }
}
