/// A box blur: the mean of a square, once or several times over.
///
/// Each iteration has the variance `((2 radius + 1)² − 1) / 12` along each axis. The result is the
/// blur of the image continued without end, also where several iterations cross its border.
package struct Box: PlaneFilter {
  /// Pixels to each side of the center.
  package var radius = 4
  /// The number of times the box is applied.
  package var iterations = 1

  package static let definition = FilterDefinition<Box>(
    "box", "Blurs with the mean of a square.",
    [
      .integer("radius", \.radius, in: 0...1000, "Pixels to each side; 0 changes nothing."),
      .integer("iterations", \.iterations, in: 1...10, "How often; 3 is close to a Gaussian."),
    ], isTranslationInvariant: true)

  package init() {}

  package init(radius: Int, iterations: Int = 1) {
    self.radius = radius
    self.iterations = iterations
  }

  package func plan(_ source: Surface, with planner: inout Planner) -> Surface {
    planner.boxes(source, radius: radius, iterations: iterations)
  }
}

extension Planner {
  /// Means of squares of `2 radius + 1` pixels, one after another; radius 0 changes nothing.
  mutating func boxes(_ source: Surface, radius: Int, iterations: Int) -> Surface {
    guard radius > 0 else { return source }
    var surface = withEdges(source)
    for axis in Axis.allCases {
      surface = box(surface, axis, width: 2 * radius + 1, iterations: iterations)
    }
    return surface.extended(x: nil, y: nil)
  }

  /// The mean of an odd number of pixels. Where there are fewer samples than pixels, those at the
  /// ends count with the part that lies inside.
  private mutating func box(
    _ surface: Surface, _ axis: Axis, width: Int, iterations: Int
  ) -> Surface {
    let samples = Double(width) / (axis == .x ? pitch.x : pitch.y)
    guard samples != samples.rounded() else {
      return convolve(surface, axis, .box(BoxPower(width: Int(samples), order: iterations)))
    }
    let radius = Int(((samples - 1) / 2).rounded(.up))
    var taps = [Float](repeating: Float(1 / samples), count: radius + 1)
    taps[radius] = Float((samples / 2 - Double(radius) + 0.5) / samples)
    return (0..<iterations).reduce(surface) { made, _ in convolve(made, axis, .taps(taps)) }
  }
}

extension FilterChain {
  /// A box blur: the mean of a square of `2 radius + 1` pixels.
  ///
  /// - Parameters:
  ///   - radius: pixels to each side, 0…1000; 0 changes nothing.
  ///   - iterations: the number of boxes in a row, 1…10; 3 is close to a Gaussian.
  public static func box(radius: Int, iterations: Int = 1) -> FilterChain {
    FilterChain(Box(radius: radius, iterations: iterations))
  }
}

/// Three box blurs in a row, as SVG's `feGaussianBlur` and the first iOS blurs do it.
///
/// The box has `d = floor(σ 3 √(2π) / 4 + 1/2)` pixels along each axis. An odd d is applied three
/// times. An even one has no middle pixel: the Filter Effects rule (`svg`) applies it once half a
/// pixel to the left, once half a pixel to the right, and then one of d + 1; Apple's sample code
/// (`odd`) takes the next odd size instead.
///
/// The blur's real deviation, `effectiveSigma`, moves in steps. By the rule of SVG it is between 24 %
/// less and 14 % more than σ from 1 to 2, 12 % less and 2 % more from 5 to 10, and goes toward 6 %
/// less for large σ, where it is half of d. Where d is under 2, nothing changes.
package struct TripleBox: Filter {
  package var sigma: Sigma = 10
  package var size = FilterChain.BoxRule.svg

  package static let definition = FilterDefinition<TripleBox>(
    "triple-box", "Blurs with three boxes, as SVG's feGaussianBlur does.",
    [
      .sigma("sigma", \.sigma, "Standard deviation the boxes are chosen for; 0 changes nothing."),
      .choice("size", \.size, "What becomes of even boxes: the rule of SVG, or the next odd size."),
    ], isTranslationInvariant: true)

  package init() {}

  package init(sigma: Sigma, size: FilterChain.BoxRule = .svg) {
    self.sigma = sigma
    self.size = size
  }

  package func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
    let pixels = try sigma.pixels(
      for: planner.size, scale: planner.options.scale, filter: Self.definition.name)
    let width = Self.width(sigma: pixels, size)
    guard width > 1 else { return source }
    var surface = planner.withEdges(source)
    for axis in Axis.allCases {
      for boxes in Self.boxes(width: width) {
        surface = planner.convolve(surface, axis, .box(boxes))
      }
    }
    return surface.extended(x: nil, y: nil)
  }

  /// The standard deviation that the three boxes for `sigma`, in pixels, really have.
  package static func effectiveSigma(for sigma: Double, size: FilterChain.BoxRule = .svg) -> Double
  {
    let d = Double(width(sigma: sigma, size))
    guard d > 1 else { return 0 }
    func variance(_ width: Double) -> Double { (width * width - 1) / 12 }
    let isOdd = d.truncatingRemainder(dividingBy: 2) == 1
    return (2 * variance(d) + variance(isOdd ? d : d + 1)).squareRoot()
  }

  private static func width(sigma: Double, _ rule: FilterChain.BoxRule) -> Int {
    rule == .odd ? OddBoxes(radius: sigma).width : OddBoxes.nearestWidth(radius: sigma)
  }

  /// The symmetric filters that together are the three boxes.
  private static func boxes(width: Int) -> [BoxPower] {
    if width % 2 == 1 { return [BoxPower(width: width, order: 3)] }
    // The two that are shifted against each other are a triangle in the middle.
    return [BoxPower(width: width, order: 2), BoxPower(width: width + 1)]
  }
}

extension FilterChain {
  /// The rule for an even box where three stand for a Gaussian.
  public enum BoxRule: String, Sendable, Hashable, CaseIterable {
    /// Two shifted half a pixel each way, and one that is a pixel larger.
    case svg
    /// Three of the next odd size.
    case odd
  }

  /// Three box blurs in a row, as SVG's `feGaussianBlur` and the first iOS blurs do it.
  ///
  /// - Parameters:
  ///   - sigma: the standard deviation boxes are chosen for, 0…1000 px; 0 changes nothing.
  ///   - size: the rule for an even box.
  public static func tripleBox(sigma: Sigma, size: BoxRule = .svg) -> FilterChain {
    FilterChain(TripleBox(sigma: sigma, size: size))
  }
}

/// Three boxes in a row that stand for a blur radius, as Apple's ImageEffects sample chooses them.
///
/// The width is `d = floor(radius · 3 √(2π) / 4 + 0.5)`, one more where that is even, so that the
/// boxes are centered. Their variance, `3 (d² − 1) / 12`, is that of a Gaussian with σ just under
/// the radius.
package struct OddBoxes: Sendable, Hashable {
  /// Pixels along each side of one box: odd, 1 changes nothing.
  package let width: Int

  /// - Parameter radius: in pixels; 0 changes nothing.
  package init(radius: Double) {
    let nearest = Self.nearestWidth(radius: radius)
    width = nearest % 2 == 0 ? nearest + 1 : nearest
  }

  /// The width before it is made odd.
  static func nearestWidth(radius: Double) -> Int {
    Int((radius * widthPerRadius + 0.5).rounded(.down))
  }

  /// Pixels to each side of a box's center.
  package var radius: Int { width / 2 }

  /// The standard deviation of the three together.
  package var sigma: Double { (Double(width * width - 1) / 4).squareRoot() }

  /// 1.88: before rounding, the width of a box by the radius.
  private static let widthPerRadius = 3 * (2 * Double.pi).squareRoot() / 4

  /// 0.94: standard deviation by radius, where the width is large and not rounded.
  static let sigmaPerRadius = widthPerRadius / 2
}
