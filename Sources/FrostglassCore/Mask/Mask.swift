/// Where a chain of filters acts: shapes and pictures, in any unit, for a picture of any size.
///
/// Several shapes count together. Without feathering a border is anti-aliased over one pixel. What
/// does not show is not computed.
public struct Mask: Sendable, Hashable {
  /// What the coverage does.
  public enum Use: String, Sendable, Hashable, CaseIterable {
    /// The effect shows where the mask covers, over the picture as it was.
    case show
    /// The same, and the chain sees only what the mask covers: nothing from outside bleeds in, and
    /// there is no halo around what is left out. Alpha stays the picture's own.
    case confine
    /// Standard deviations are multiplied by the coverage: `σ(x, y) = σ × coverage`, for every
    /// Gaussian of the chain. All else in it acts everywhere.
    case scale
  }

  public var shapes: [MaskShape]
  /// How far coverage takes to fall to 0 outside the shapes, which stay wholly covered; a smooth
  /// curve. 0 is a sharp border.
  public var feather: Length
  /// How far borders are moved outward; negative is inward. In a redaction a margin: outward from
  /// what is hidden, 0 or more, also where that is the outside.
  public var grow: Length
  /// Whether the outside of the shapes is meant.
  public var isInverted: Bool
  public var use: Use
  /// What replaces the covered pixels before the chain sees the picture; `nil` leaves them.
  public var redaction: Redaction?

  public init(
    _ shapes: [MaskShape], feather: Length = 0, grow: Length = 0, isInverted: Bool = false,
    use: Use = .show, redaction: Redaction? = nil
  ) {
    self.shapes = shapes
    self.feather = feather
    self.grow = grow
    self.isInverted = isInverted
    self.use = use
    self.redaction = redaction
  }

  /// The mask in pixels of one picture.
  ///
  /// - Throws: `PlanError.badValue` for lengths out of range, and when the mask covers nothing.
  func coverage(of size: Size, scale: Double) throws(PlanError) -> Coverage {
    let feather = try self.feather.pixels(
      for: size, scale: scale, in: 0...100_000, filter: "mask", parameter: "feather")
    let grow = try self.grow.pixels(
      for: size, scale: scale, in: -100_000...100_000, filter: "mask", parameter: "grow")
    var outlines: [CoverageShape] = []
    for shape in shapes {
      let outline = try shape.outline(in: size, scale: scale)
      if case .picture(let picture) = outline {
        let moved = picture.moved(outward: grow, feather: feather)
        outlines.append(CoverageShape(.picture(moved)))
      } else {
        outlines.append(CoverageShape(outline, feather: feather, grow: grow))
      }
    }
    let coverage = Coverage(outlines, isInverted: isInverted)
    guard coverage.part(above: 0, of: Rect(size)) != nil else {
      throw .badValue(
        filter: "mask", parameter: isInverted ? "outside" : "region",
        value: shapes.map { "\($0)" }.joined(separator: ", "),
        accepted: "something that covers a part of the picture of \(size)")
    }
    return coverage
  }
}
