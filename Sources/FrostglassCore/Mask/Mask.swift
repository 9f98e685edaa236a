/// Where a chain of filters shows: shapes and pictures, in any unit, for a picture of any size.
///
/// Several shapes count together. Without feathering a border is anti-aliased over one pixel. The
/// chain is computed only where the mask shows it, and as far around as it reads.
public struct Mask: Sendable, Hashable {
  public var shapes: [MaskShape]
  /// How far coverage takes to fall to 0 outside the shapes, which stay wholly covered; a smooth
  /// curve. 0 is a sharp border.
  public var feather: Length
  /// How far borders are moved outward; negative is inward.
  public var grow: Length
  /// Whether the effect shows outside the shapes instead.
  public var isInverted: Bool
  /// Whether the chain sees only what the mask covers: nothing from outside bleeds in, and there is
  /// no halo around what is left out.
  public var isAware: Bool

  public init(
    _ shapes: [MaskShape], feather: Length = 0, grow: Length = 0, isInverted: Bool = false,
    isAware: Bool = false
  ) {
    self.shapes = shapes
    self.feather = feather
    self.grow = grow
    self.isInverted = isInverted
    self.isAware = isAware
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
