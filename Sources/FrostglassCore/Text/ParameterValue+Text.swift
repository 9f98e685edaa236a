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

/// A finite number with a unit behind it.
struct Quantity {
  let number: Double
  /// In lower case; empty when there is none.
  let unit: String

  /// Reads any number with any unit: `-1.5e3px`; `nil` for what does not begin with a number.
  ///
  /// An `e` belongs to the number only when digits follow, so `1em` is 1 em.
  init?(_ text: String) {
    let letters = Array(text.lowercased().unicodeScalars)
    var end = 0
    func digits() -> Int {
      let start = end
      while end < letters.count, ("0"..."9").contains(letters[end]) { end += 1 }
      return end - start
    }
    if end < letters.count, letters[end] == "+" || letters[end] == "-" { end += 1 }
    var count = digits()
    if end < letters.count, letters[end] == "." {
      end += 1
      count += digits()
    }
    guard count > 0 else { return nil }
    let mantissa = end
    if end < letters.count, letters[end] == "e" {
      end += 1
      if end < letters.count, letters[end] == "+" || letters[end] == "-" { end += 1 }
      if digits() == 0 { end = mantissa }
    }
    guard let number = Double(Self.text(letters[..<end])), number.isFinite else { return nil }
    self.number = number
    unit = Self.text(letters[end...])
  }

  /// Reads a number with one of `units`; an empty one stands for none.
  init?(_ text: String, units: [String]) {
    guard let quantity = Quantity(text), units.contains(quantity.unit) else { return nil }
    self = quantity
  }

  private static func text(_ letters: ArraySlice<Unicode.Scalar>) -> String {
    var text = ""
    text.unicodeScalars.append(contentsOf: letters)
    return text
  }
}

/// The lengths of CSS that have a size of their own: an inch is 96 pixels.
///
/// Source: CSS Values and Units Module Level 4, absolute lengths.
private enum CSSLength {
  /// Pixels per unit; `pt` is the typographer's point here, not UIKit's.
  static let pixels: [String: Double] = [
    "px": 1, "cm": 96 / 2.54, "mm": 96 / 25.4, "q": 96 / 101.6, "in": 96, "pc": 16, "pt": 96.0 / 72,
  ]

  /// Pixels per unit for those that mean the same in filters of any kind.
  static let unmistakable = pixels.filter { $0.key != "px" && $0.key != "pt" }

  /// Reads `12px` or `-3pt`; 0 needs no unit.
  static func read(_ text: String) -> Double? {
    guard let quantity = Quantity(text) else { return nil }
    if quantity.unit.isEmpty { return quantity.number == 0 ? 0 : nil }
    guard let scale = pixels[quantity.unit] else { return nil }
    let length = quantity.number * scale
    return length.isFinite ? length : nil
  }
}
