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

  /// Whether there is anything to be seen of it: it is no line or point, nor shrunk so much or so far
  /// away that 32-bit machines could not compute where to read, see `AffineMap`.
  func canBeRead(on canvas: Size) -> Bool {
    guard transform.wholeMove == nil else { return true }
    guard let back = transform.inverse else { return false }
    let side = Double(max(canvas.width, canvas.height))
    let farthest = Double(1 << 18)
    return [back.a, back.b, back.c, back.d].allSatisfy { abs($0) * side <= farthest }
      && abs(back.tx) <= farthest && abs(back.ty) <= farthest
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
