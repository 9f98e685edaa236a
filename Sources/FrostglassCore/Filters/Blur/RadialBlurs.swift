internal import Glibc

/// A zoom blur: every pixel smeared along the line to a center, as by a lens zoomed while exposing.
///
/// A pixel at distance d from the center becomes the even mean of the picture from d down to
/// d (1 − amount) on its line to the center. It looks only inward, so nothing beyond the border is
/// seen. Samples lie at most a pixel apart at the farthest corner, closer elsewhere: they go
/// down geometrically, which lets a few passes stand for thousands (scalings compose), and weigh
/// as much as the stretch they stand for. The last 1/64 of the way to the center is left out.
package struct Zoom: Filter {
  /// The center, as fractions of width and height.
  package var x = 0.5
  package var y = 0.5
  /// The part of the way to the center that is smeared.
  package var amount = 0.15

  package static let definition = FilterDefinition<Zoom>(
    "zoom", "Blurs toward a center, as a lens zoomed while exposing.",
    [
      .factor("x", \.x, in: 0...1, "The center's place across; 0 is the left edge."),
      .factor("y", \.y, in: 0...1, "The center's place down; 0 is the top edge."),
      .factor(
        "amount", \.amount, in: 0...1,
        "How much of the way to the center is smeared; 0 changes nothing."),
    ])

  package init() {}

  package init(x: Double = 0.5, y: Double = 0.5, amount: Double) {
    self.x = x
    self.y = y
    self.amount = amount
  }

  package func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
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

extension FilterChain {
  /// A zoom blur toward a center given in fractions of width and height.
  public static func zoom(x: Double = 0.5, y: Double = 0.5, amount: Double) -> FilterChain {
    FilterChain(Zoom(x: x, y: y, amount: amount))
  }
}

/// A spin blur: the even mean over a turn around a center, half of it to each side.
///
/// Samples lie at most a pixel apart at the farthest corner. Turns compose, so a few passes stand
/// for thousands of samples.
package struct Spin: Filter {
  /// The center, as fractions of width and height.
  package var x = 0.5
  package var y = 0.5
  /// The whole turn.
  package var angle = Angle(degrees: 10)

  package static let definition = FilterDefinition<Spin>(
    "spin", "Blurs around a center, as a turning camera does.",
    [
      .factor("x", \.x, in: 0...1, "The center's place across; 0 is the left edge."),
      .factor("y", \.y, in: 0...1, "The center's place down; 0 is the top edge."),
      .angle("angle", \.angle, "The whole turn, up to 360deg; 0 changes nothing."),
    ])

  package init() {}

  package init(x: Double = 0.5, y: Double = 0.5, angle: Angle) {
    self.x = x
    self.y = y
    self.angle = angle
  }

  package func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
    guard abs(angle.degrees) <= 360 else {
      throw .badValue(
        filter: Self.definition.name, parameter: "angle", value: "\(angle)",
        accepted: "from -360 to 360 degrees")
    }
    let center = try planner.center(x: x, y: y)
    let arc = abs(angle.radians)
    guard arc * center.farthest > 1e-3 else { return source }
    let samples = PathSamples(atLeast: Int((arc * center.farthest).rounded(.up)) + 1)
    var surface = planner.withEdges(source)
    for pass in samples.passes {
      let step = arc / Double(samples.count) * Double(pass.spacing)
      let views = (0..<pass.count).map { index in
        let turn = (Double(index) - Double(pass.count - 1) / 2) * step
        return Gather.View(
          map: AffineMap(
            scale: 1, cosine: cos(turn), sine: sin(turn), aroundX: center.x, y: center.y),
          weight: 1 / Float(pass.count))
      }
      surface = planner.gather(surface, Gather(views: views))
    }
    return surface
  }
}

extension FilterChain {
  /// A spin blur around a center given in fractions of width and height.
  public static func spin(x: Double = 0.5, y: Double = 0.5, angle: Angle) -> FilterChain {
    FilterChain(Spin(x: x, y: y, angle: angle))
  }
}

/// A path of many equal samples, as passes that each take a few.
///
/// Pass m takes `count` samples `spacing` apart; all passes together take the product of their
/// counts, one apart. The farthest come first, so that pictures on the way need the least beyond
/// the border.
private struct PathSamples {
  struct Pass {
    var count: Int
    /// In samples of the whole path.
    var spacing: Int
  }

  let passes: [Pass]
  /// Samples of the whole path.
  let count: Int

  /// The most samples of one pass.
  static let most = 16

  /// - Parameter wanted: at least so many samples, 1 or more.
  init(atLeast wanted: Int) {
    var stages = 1
    while Int(pow(Double(Self.most), Double(stages)).rounded()) < wanted { stages += 1 }
    var counts: [Int] = []
    var left = wanted
    for stage in (1...stages).reversed() {
      let count = Int(pow(Double(left), 1 / Double(stage)).rounded(.up))
      counts.append(max(min(count, Self.most), 1))
      left = max((left + counts[counts.count - 1] - 1) / counts[counts.count - 1], 1)
    }
    var spacing = 1
    var passes: [Pass] = []
    for count in counts {
      passes.append(Pass(count: count, spacing: spacing))
      spacing *= count
    }
    self.passes = passes.reversed()
    count = spacing
  }
}
