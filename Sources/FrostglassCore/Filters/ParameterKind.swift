/// What values a parameter takes.
public enum ParameterKind: Sendable, Hashable {
  /// A number or a percentage, in this range.
  case factor(ClosedRange<Double>)
  /// A whole number, in this range.
  case integer(ClosedRange<Int>)
  /// A standard deviation.
  case sigma
  /// A distance, in this range of pixels.
  case length(ClosedRange<Double>)
  /// An angle.
  case angle
  /// A CSS color.
  case color
  /// One of these words.
  case choice([String])

  /// What is accepted, as the end of the sentence "it must be …".
  public var accepted: String {
    switch self {
    case .factor(let range):
      range.hasEnd
        ? "a number from \(shortest(range.lowerBound)) to \(shortest(range.upperBound)), or a "
          + "percentage" : "a number from \(shortest(range.lowerBound)) on, or a percentage"
    case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
    case .sigma:
      "a standard deviation from 0 to 1000 px, in px, pt or % of the shorter side, or another tool's "
        + "number, such as pillow:10"
    case .length(let range):
      "a length from \(shortest(range.lowerBound)) to \(shortest(range.upperBound)) px, in px, pt or "
        + "% of the shorter side"
    case .angle: "an angle in deg, rad, grad or turn"
    case .color: "a CSS color, such as white, #1c1c1e or rgb(28 28 30)"
    case .choice(let words): "one of " + words.joined(separator: ", ")
    }
  }

  /// One word for tables: what kind of value it is.
  public var word: String {
    switch self {
    case .factor: "factor"
    case .integer: "integer"
    case .sigma: "sigma"
    case .length: "length"
    case .angle: "angle"
    case .color: "color"
    case .choice: "choice"
    }
  }

  /// The units a number may carry.
  public var units: [String] {
    switch self {
    case .factor: ["", "%"]
    case .sigma, .length: ["px", "pt", "%"]
    case .angle: ["deg", "rad", "grad", "turn"]
    case .integer, .color, .choice: []
    }
  }

  /// The lowest and highest value; `nil` where there is no order or no limit.
  public var range: (low: String, high: String?)? {
    switch self {
    case .factor(let range):
      (shortest(range.lowerBound), range.hasEnd ? shortest(range.upperBound) : nil)
    case .integer(let range): ("\(range.lowerBound)", "\(range.upperBound)")
    case .sigma: ("0px", "1000px")
    case .length(let range):
      ("\(shortest(range.lowerBound))px", "\(shortest(range.upperBound))px")
    case .angle, .color, .choice: nil
    }
  }
}

extension ClosedRange<Double> {
  /// Whether there is a highest value but that of the number format.
  fileprivate var hasEnd: Bool { upperBound < .greatestFiniteMagnitude }
}
