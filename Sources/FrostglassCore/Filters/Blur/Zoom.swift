internal import Glibc

/// A zoom blur: every pixel smeared along the line to a center, as by a lens zoomed while exposing.
///
/// A pixel at distance d from the center becomes the even mean of the picture from d down to
/// d (1 − amount) on its line to the center. It looks only inward, so nothing beyond the border is
/// seen. Samples lie at most a pixel apart at the farthest corner, closer elsewhere: they go
/// down geometrically, which lets a few passes stand for thousands (scalings compose), and weigh
/// as much as the stretch they stand for. The last 1/64 of the way to the center is left out.
public struct Zoom: Filter {
  /// The center, as fractions of width and height.
  public var x = 0.5
  public var y = 0.5
  /// How much of the way to the center is smeared.
  public var amount = 0.15

  public static let definition = FilterDefinition<Zoom>(
    "zoom", "Blurs toward a center, as a lens zoomed while exposing.",
    [
      .factor("x", \.x, in: 0...1, "The center's place across; 0 is the left edge."),
      .factor("y", \.y, in: 0...1, "The center's place down; 0 is the top edge."),
      .factor(
        "amount", \.amount, in: 0...1,
        "How much of the way to the center is smeared; 0 changes nothing."),
    ])

  public init() {}

  public init(x: Double = 0.5, y: Double = 0.5, amount: Double) {
    self.x = x
    self.y = y
    self.amount = amount
  }

  public func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
    let center = try planner.center(x: x, y: y)
    let depth = -log(max(1 - amount, 1.0 / 64))
    guard depth * center.farthest > 1e-3 else { return source }
    // The outermost samples are farthest apart: a distance of d (1 − e^(−depth / count)).
    let samples = PathSamples(atLeast: Int((depth * center.farthest).rounded(.up)) + 1)
    let ratio = exp(-depth / Double(samples.count))
    var surface = planner.withEdges(source)
    for pass in samples.passes {
      // Samples stand in the middle of their stretches, which the last pass sees to.
      let middle = pass.spacing == 1 ? 0.5 : 0
      let scales = (0..<pass.count).map { pow(ratio, Double($0 * pass.spacing)) }
      let sum = scales.reduce(0, +)
      let views = scales.map { scale in
        Gather.View(
          map: AffineMap(
            scale: scale * pow(ratio, middle), cosine: 1, sine: 0, aroundX: center.x, y: center.y),
          weight: Float(scale / sum))
      }
      surface = planner.gather(surface, Gather(views: views))
    }
    return surface
  }
}

extension Filter where Self == Zoom {
  /// A zoom blur toward a center given in fractions of width and height.
  public static func zoom(x: Double = 0.5, y: Double = 0.5, amount: Double) -> Zoom {
    Zoom(x: x, y: y, amount: amount)
  }
}
