/// A mosaic: each pixel becomes the mean of the cell it lies in.
///
/// A cell is centered on the image's center, so the image's borders cut cells alike on opposite
/// sides. A cut cell is the mean of the pixels that exist of it, premultiplied: borders are never
/// dark, and transparent pixels lend no color. This hides nothing for good: text and faces under a
/// mosaic can be guessed from its means.
package struct Pixelate: Filter {
  /// A side of a square, or the distance between two opposite sides of a hexagon.
  package var size: Length = 16
  package var shape = FilterChain.CellShape.square
  /// Pixels that a cell has in its width, at least: 2 where it is to hide something. No parameter, as who asks
  /// for a mosaic alone may ask for one that changes nothing.
  package var least = 1

  private static let sizes = 1.0...1000.0

  package static let definition = FilterDefinition<Pixelate>(
    "pixelate", "Makes a mosaic of mean colors, centered on the image.",
    [
      .length(
        "size", \.size, in: sizes,
        "Width of a cell, rounded to whole pixels; 1px changes nothing."),
      .choice("shape", \.shape, "What the cells look like."),
    ])

  package init() {}

  package init(size: Length, shape: FilterChain.CellShape = .square, least: Int = 1) {
    self.size = size
    self.shape = shape
    self.least = least
  }

  package func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
    let pixels = try size.pixels(
      for: planner.size, scale: planner.options.scale,
      in: Double(least)...Self.sizes.upperBound, filter: Self.definition.name, parameter: "size")
    let width = Int(pixels.rounded())
    guard width > 1 else { return source }
    return planner.mosaic(source, tiling(width: width, for: planner.size))
  }

  /// The cells of an image.
  package func tiling(width: Int, for size: Size) -> Tiling {
    // Rows of regular hexagons are √3/2 of their width apart.
    let height = shape == .square ? width : Int((Double(width) * 0.75.squareRoot()).rounded())
    return Tiling(
      width: width, height: height, isStaggered: shape == .hexagon, centerX: size.width,
      centerY: size.height)
  }
}

extension FilterChain {
  /// The shape of the cells of a mosaic.
  public enum CellShape: String, Sendable, Hashable, CaseIterable {
    /// Squares in rows and columns.
    case square
    /// Hexagons with a corner at the top, in staggered rows.
    case hexagon
  }

  /// A mosaic of the mean colors of its cells.
  ///
  /// - Parameters:
  ///   - size: width of a cell, 1…1000 px, rounded to whole pixels; 1 px changes nothing.
  ///   - shape: the shape of the cells.
  public static func pixelate(size: Length, shape: CellShape = .square) -> FilterChain {
    FilterChain(Pixelate(size: size, shape: shape))
  }
}
