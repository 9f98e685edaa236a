/// A thing that a detector found in an image, such as a face.
///
/// Coordinates are pixels of the upright image from its left-top corner; a box may reach beyond the image.
public struct Found: Sendable, Hashable, Codable {
  /// A place in an image, in its pixels.
  public struct Point: Sendable, Hashable, Codable {
    /// The distance from the left edge.
    public var x: Double
    /// The distance from the top edge.
    public var y: Double

    /// Creates a point.
    public init(x: Double, y: Double) {
      self.x = x
      self.y = y
    }
  }

  /// The box's left edge.
  public var x: Double
  /// The box's top edge.
  public var y: Double
  /// The box's width.
  public var width: Double
  /// The box's height.
  public var height: Double
  /// The certainty, from 0 to 1.
  public var score: Double
  /// The eyes, the tip of the nose and the corners of the mouth, left ones of the image first; empty where
  /// the detector says none.
  public var points: [Point]
  /// The kind of thing, such as `face`.
  public var label: String

  /// Creates a thing found.
  public init(
    x: Double, y: Double, width: Double, height: Double, score: Double, points: [Point] = [],
    label: String = "face"
  ) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
    self.score = score
    self.points = points
    self.label = label
  }
}
