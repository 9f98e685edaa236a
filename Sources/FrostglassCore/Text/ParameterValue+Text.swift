extension ParameterValue {
  /// Reads a value; `nil` when it is not one that `kind` accepts.
  package init?(_ text: String, for kind: ParameterKind) {
    switch kind {
    case .factor(let range):
      guard let quantity = Quantity(text, units: ["", "%"]) else { return nil }
      let number = quantity.unit == "%" ? quantity.number / 100 : quantity.number
      guard range.contains(number) else { return nil }
      self = .number(number)
    case .integer(let range):
      guard let number = Int(text), range.contains(number) else { return nil }
      self = .integer(number)
    case .sigma:
      guard let sigma = Sigma(text: text) else { return nil }
      self = .sigma(sigma)
    case .length(let range):
      guard let length = Length(text: text), length.unit != .pixels || range.contains(length.value)
      else { return nil }
      self = .length(length)
    case .angle:
      guard let angle = Angle(text: text) else { return nil }
      self = .angle(angle)
    case .color:
      guard let color = Color(text: text) else { return nil }
      self = .color(color)
    case .choice(let words):
      guard words.contains(text.lowercased()) else { return nil }
      self = .word(text.lowercased())
    }
  }
}

extension Sigma {
  /// Reads `20`, `20px`, `20pt` or `2%`; `nil` for anything else, and for values that no picture
  /// could accept: below 0, over 1000 px, over 100 %, not a number.
  public init?(text: String) {
    guard let quantity = Quantity(text, units: ["", "px", "pt", "%"]) else { return nil }
    let limit = quantity.unit == "%" ? 100 : Sigma.range.upperBound
    guard (0...limit).contains(quantity.number) else { return nil }
    switch quantity.unit {
    case "%": self.init(percent: quantity.number)
    case "pt": self.init(quantity.number, .points)
    default: self.init(quantity.number)
    }
  }
}

extension Length {
  /// Reads `20`, `20px`, `20pt` or `2%`; the range is checked when the picture is known.
  public init?(text: String) {
    guard let quantity = Quantity(text, units: ["", "px", "pt", "%"]) else { return nil }
    switch quantity.unit {
    case "%": self.init(quantity.number, .percent)
    case "pt": self.init(quantity.number, .points)
    default: self.init(quantity.number)
    }
  }
}

extension Angle {
  /// Reads `90deg`, `1.57rad`, `100grad`, `0.25turn`, or a plain number of degrees.
  init?(text: String) {
    guard let quantity = Quantity(text, units: ["", "deg", "rad", "grad", "turn"]) else {
      return nil
    }
    let degrees =
      switch quantity.unit {
      case "rad": quantity.number * 180 / .pi
      case "grad": quantity.number * 0.9
      case "turn": quantity.number * 360
      default: quantity.number
      }
    self.init(degrees: degrees)
  }
}

/// A finite number with a unit behind it.
struct Quantity {
  let number: Double
  /// In lower case; empty when there is none.
  let unit: String

  init?(_ text: String, units: [String]) {
    let lower = text.lowercased()
    let end = lower.lastIndex { $0.isNumber || $0 == "." }.map { lower.index(after: $0) }
    guard let end, let number = Double(lower[..<end]), number.isFinite else { return nil }
    let unit = String(lower[end...])
    guard units.contains(unit) else { return nil }
    self.number = number
    self.unit = unit
  }
}
