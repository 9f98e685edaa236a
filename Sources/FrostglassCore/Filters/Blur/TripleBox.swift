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
public struct TripleBox: Filter {
  /// What becomes of an even box.
  public enum Rule: String, Sendable, Hashable, CaseIterable {
    /// Two shifted half a pixel each way, and one that is a pixel larger.
    case svg
    /// Three of the next odd size.
    case odd
  }

  public var sigma: Sigma = 10
  public var size = Rule.svg

  public static let definition = FilterDefinition<TripleBox>(
    "triple-box", "Blurs with three boxes, as SVG's feGaussianBlur does.",
    [
      .sigma("sigma", \.sigma, "Standard deviation the boxes are chosen for; 0 changes nothing."),
      .choice("size", \.size, "What becomes of even boxes: the rule of SVG, or the next odd size."),
    ])

  public init() {}

  public init(sigma: Sigma, size: Rule = .svg) {
    self.sigma = sigma
    self.size = size
  }

  public func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
    let pixels = try sigma.pixels(
      for: planner.size, scale: planner.options.scale, filter: Self.definition.name)
    let width = Self.width(sigma: pixels, size)
    guard width > 1 else { return source }
    var surface = planner.withEdges(source)
    for axis in Axis.allCases {
      for taps in Self.taps(width: width) {
        surface = planner.convolve(surface, axis, taps: taps)
      }
    }
    return surface.extended(x: nil, y: nil)
  }

  /// The standard deviation that the three boxes for `sigma`, in pixels, really have.
  public static func effectiveSigma(for sigma: Double, size: Rule = .svg) -> Double {
    let d = Double(width(sigma: sigma, size))
    guard d > 1 else { return 0 }
    func variance(_ width: Double) -> Double { (width * width - 1) / 12 }
    let isOdd = d.truncatingRemainder(dividingBy: 2) == 1
    return (2 * variance(d) + variance(isOdd ? d : d + 1)).squareRoot()
  }

  private static func width(sigma: Double, _ rule: Rule) -> Int {
    rule == .odd ? OddBoxes(radius: sigma).width : OddBoxes.nearestWidth(radius: sigma)
  }

  /// The symmetric filters that together are the three boxes.
  private static func taps(width: Int) -> [[Float]] {
    func box(_ radius: Int) -> [Float] {
      [Float](repeating: 1 / Float(2 * radius + 1), count: radius + 1)
    }
    if width % 2 == 1 { return [[Float]](repeating: box(width / 2), count: 3) }
    // The two that are shifted against each other are a triangle in the middle.
    let square = Double(width) * Double(width)
    return [(0..<width).map { Float(Double(width - $0) / square) }, box(width / 2)]
  }
}

extension Filter where Self == TripleBox {
  /// Three boxes; σ 0…1000 px.
  public static func tripleBox(sigma: Sigma, size: TripleBox.Rule = .svg) -> TripleBox {
    TripleBox(sigma: sigma, size: size)
  }
}
