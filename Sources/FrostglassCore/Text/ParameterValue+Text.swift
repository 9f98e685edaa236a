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

extension ParameterValue {
  /// Reads a value as CSS writes it: lengths and angles with a unit, nothing below 0 but offsets and
  /// angles; `nil` when it is not one that `kind` accepts.
  init?(css text: String, for kind: ParameterKind) {
    switch kind {
    case .sigma:
      guard let length = CSSLength.read(text), Sigma.range.contains(length) else { return nil }
      self = .sigma(Sigma(length))
    case .length(let range):
      guard let length = CSSLength.read(text), range.contains(length) else { return nil }
      self = .length(Length(length))
    case .angle:
      guard let quantity = Quantity(text), !quantity.unit.isEmpty || quantity.number == 0
      else { return nil }
      self.init(text, for: kind)
    case .factor, .integer, .color, .choice: self.init(text, for: kind)
    }
  }
}

extension Sigma {
  /// Reads `20`, `20px`, `20pt`, `2%`, another absolute length of CSS such as `5mm`, or another
  /// tool's number such as `pillow:20` (see `BlurTool`); `nil` for anything else, and for values that
  /// no picture could accept: below 0, over 1000 px, over 100 %, not a number.
  public init?(text: String) {
    if text.contains(":") {
      guard let sigma = BlurTool.sigma(text: text) else { return nil }
      self = sigma
      return
    }
    guard let length = Length(text: text) else { return nil }
    let limit = length.unit == .percent ? 100 : Sigma.range.upperBound
    guard (0...limit).contains(length.value) else { return nil }
    self.init(length.value, length.unit)
  }
}

extension Length {
  /// Reads `20`, `20px`, `20pt` (points of UIKit), `2%` or another absolute length of CSS such as
  /// `5mm`; the range is checked when the picture is known.
  public init?(text: String) {
    guard let quantity = Quantity(text) else { return nil }
    switch quantity.unit {
    case "", "px": self.init(quantity.number)
    case "%": self.init(quantity.number, .percent)
    case "pt": self.init(quantity.number, .points)
    default:
      // What is finite in millimeters may be none in pixels.
      guard let scale = CSSLength.unmistakable[quantity.unit],
        (quantity.number * scale).isFinite
      else { return nil }
      self.init(quantity.number * scale)
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
    guard degrees.isFinite else { return nil }
    self.init(degrees: degrees)
  }
}
