/// A picture on a canvas of another shape, before its own enlarged and blurred copy.
public struct Letterbox: Sendable, Hashable {
  /// The canvas.
  public enum Canvas: Sendable, Hashable {
    /// So many pixels; the picture is scaled to fit.
    case size(Size)
    /// Width to height; the canvas is the smallest that holds the picture, which is not scaled.
    case aspect(width: Double, height: Double)
  }

  /// Where the picture is put, along the axis on which there is room.
  public enum Alignment: String, Sendable, Hashable, CaseIterable {
    case center, top, bottom, left, right
  }

  public var canvas: Canvas
  /// Blur of the copy; percentages refer to the canvas.
  public var sigma: Sigma
  /// How much darker the copy is: 0 not at all, 1 black.
  public var dim: Double
  /// How colorful the copy is: 0 is gray, 1 as the picture.
  public var saturation: Double
  /// Of the picture's corners; at most half its shorter side counts. Percentages refer to the
  /// canvas.
  public var radius: Length
  /// How black the picture's shadow is: 0 no shadow, 1 black.
  public var shadow: Double
  /// Room kept free around the picture. Percentages refer to the canvas.
  public var margin: Length
  public var alignment: Alignment

  /// - Parameters:
  ///   - sigma: 0…1000 px.
  ///   - dim: 0…1.
  ///   - saturation: 0…10.
  ///   - radius: 0 px or more.
  ///   - shadow: 0…1.
  ///   - margin: 0 px or more, and less than half of the canvas.
  public init(
    _ canvas: Canvas, sigma: Sigma = Sigma(percent: 4), dim: Double = 0.2, saturation: Double = 1,
    radius: Length = 0, shadow: Double = 0, margin: Length = 0, alignment: Alignment = .center
  ) {
    self.canvas = canvas
    self.sigma = sigma
    self.dim = dim
    self.saturation = saturation
    self.radius = radius
    self.shadow = shadow
    self.margin = margin
    self.alignment = alignment
  }

  /// What is done to the copy.
  ///
  /// - Parameter gray: whether it has no colors to make more or less of.
  func backdrop(gray: Bool) -> FilterChain {
    var filters: [any Filter] = [.gaussian(sigma: sigma)]
    if saturation != 1, !gray { filters.append(.saturate(saturation)) }
    if dim > 0 { filters.append(.brightness(1 - dim)) }
    return FilterChain(filters)
  }

  /// Refuses what is no number of its range.
  func check() throws(PlanError) {
    for (name, value, range) in [
      ("dim", dim, 0.0...1.0), ("saturation", saturation, 0...10), ("shadow", shadow, 0...1),
    ] {
      guard range.contains(value) else {
        throw .badValue(
          filter: "fill", parameter: name, value: "\(value)",
          accepted: "a number from \(range.lowerBound) to \(range.upperBound)")
      }
    }
  }
}
