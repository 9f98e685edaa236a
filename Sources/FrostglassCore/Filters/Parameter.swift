/// One parameter of a filter: what it is called, what it takes, and where it is kept.
///
/// The default is not part of it: it is what the filter's `init()` puts there.
public struct FilterParameter<Root: Filter>: Sendable {
  /// A key path to a parameter's value in a filter.
  public typealias Path<Value> = any WritableKeyPath<Root, Value> & Sendable

  /// The name in text form: lower case with hyphens.
  public var name: String
  /// The values that it accepts.
  public var kind: ParameterKind
  /// One sentence that says what the value does.
  public var help: String
  let read: @Sendable (Root) -> ParameterValue?
  let write: @Sendable (inout Root, ParameterValue) -> Void

  private init<Value>(
    _ name: String, _ kind: ParameterKind, _ path: Path<Value>, _ help: String,
    wrap: @escaping @Sendable (Value) -> ParameterValue?,
    unwrap: @escaping @Sendable (ParameterValue) -> Value?
  ) {
    self.name = name
    self.kind = kind
    self.help = help
    read = { wrap($0[keyPath: path]) }
    write = { root, value in
      if let value = unwrap(value) { root[keyPath: path] = value }
    }
  }

  /// A plain number or a percentage (100 % is 1).
  public static func factor(
    _ name: String, _ path: Path<Double>, in range: ClosedRange<Double>, _ help: String
  ) -> FilterParameter {
    FilterParameter(name, .factor(range), path, help, wrap: { .number($0) }, unwrap: \.number)
  }

  /// A plain number or a percentage without a highest value.
  public static func factor(
    _ name: String, _ path: Path<Double>, in range: PartialRangeFrom<Double>, _ help: String
  ) -> FilterParameter {
    factor(name, path, in: range.lowerBound...Double.greatestFiniteMagnitude, help)
  }

  /// A whole number.
  public static func integer(
    _ name: String, _ path: Path<Int>, in range: ClosedRange<Int>, _ help: String
  ) -> FilterParameter {
    FilterParameter(name, .integer(range), path, help, wrap: { .integer($0) }, unwrap: \.integer)
  }

  /// A standard deviation in px, pt or % of the shorter side.
  public static func sigma(_ name: String, _ path: Path<Sigma>, _ help: String) -> FilterParameter {
    FilterParameter(name, .sigma, path, help, wrap: { .sigma($0) }, unwrap: \.sigma)
  }

  /// A standard deviation that may be left out.
  public static func sigma(_ name: String, _ path: Path<Sigma?>, _ help: String) -> FilterParameter
  {
    FilterParameter(
      name, .sigma, path, help, wrap: { $0.map { .sigma($0) } }, unwrap: \.sigma)
  }

  /// A distance in px, pt or % of the shorter side, in a range of pixels.
  public static func length(
    _ name: String, _ path: Path<Length>, in range: ClosedRange<Double>, _ help: String
  ) -> FilterParameter {
    FilterParameter(name, .length(range), path, help, wrap: { .length($0) }, unwrap: \.length)
  }

  /// An angle in deg, rad, grad or turn.
  public static func angle(_ name: String, _ path: Path<Angle>, _ help: String) -> FilterParameter {
    FilterParameter(name, .angle, path, help, wrap: { .angle($0) }, unwrap: \.angle)
  }

  /// A CSS color.
  public static func color(_ name: String, _ path: Path<Color>, _ help: String) -> FilterParameter {
    FilterParameter(name, .color, path, help, wrap: { .color($0) }, unwrap: \.color)
  }

  /// One of a few words.
  public static func choice<Choice>(
    _ name: String, _ path: Path<Choice>, _ help: String
  ) -> FilterParameter
  where Choice: RawRepresentable & CaseIterable & SendableMetatype, Choice.RawValue == String {
    FilterParameter(
      name, .choice(Choice.allCases.map(\.rawValue)), path, help,
      wrap: { .word($0.rawValue) }, unwrap: { $0.word.flatMap { Choice(rawValue: $0) } })
  }

  /// One of a few words that may be left out.
  public static func choice<Choice>(
    _ name: String, _ path: Path<Choice?>, _ help: String
  ) -> FilterParameter
  where Choice: RawRepresentable & CaseIterable & SendableMetatype, Choice.RawValue == String {
    FilterParameter(
      name, .choice(Choice.allCases.map(\.rawValue)), path, help,
      wrap: { $0.map { .word($0.rawValue) } },
      unwrap: { $0.word.flatMap { Choice(rawValue: $0) } })
  }
}

/// The kind of values that a parameter accepts.
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

  /// The accepted values, as the end of the sentence "it must be …".
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

  /// The lowest and the highest value of a parameter, in text form.
  public struct Limits: Sendable, Hashable {
    /// The lowest value.
    public var low: String
    /// The highest value; `nil` where there is none.
    public var high: String?
  }

  /// The lowest and the highest value; `nil` where values have no order.
  public var limits: Limits? {
    switch self {
    case .factor(let range):
      Limits(
        low: shortest(range.lowerBound), high: range.hasEnd ? shortest(range.upperBound) : nil)
    case .integer(let range): Limits(low: "\(range.lowerBound)", high: "\(range.upperBound)")
    case .sigma: Limits(low: "0px", high: "1000px")
    case .length(let range):
      Limits(low: "\(shortest(range.lowerBound))px", high: "\(shortest(range.upperBound))px")
    case .angle, .color, .choice: nil
    }
  }
}

/// A parameter's value, read from text or written as text.
public enum ParameterValue: Sendable, Hashable, CustomStringConvertible {
  /// A number; a percentage is a hundredth of it.
  case number(Double)
  /// A whole number.
  case integer(Int)
  /// A standard deviation.
  case sigma(Sigma)
  /// A distance.
  case length(Length)
  /// An angle.
  case angle(Angle)
  /// A color.
  case color(Color)
  /// One of a parameter's words.
  case word(String)

  /// The value in text form; reading it again gives the same value.
  public var description: String {
    switch self {
    case .number(let number): shortest(number)
    case .integer(let number): "\(number)"
    case .sigma(let sigma): "\(sigma)"
    case .length(let length): "\(length)"
    case .angle(let angle): "\(angle)"
    case .color(let color): "\(color)"
    case .word(let word): word
    }
  }
}

extension ParameterValue {
  var number: Double? { if case .number(let value) = self { value } else { nil } }
  var integer: Int? { if case .integer(let value) = self { value } else { nil } }
  var sigma: Sigma? { if case .sigma(let value) = self { value } else { nil } }
  var length: Length? { if case .length(let value) = self { value } else { nil } }
  var angle: Angle? { if case .angle(let value) = self { value } else { nil } }
  var color: Color? { if case .color(let value) = self { value } else { nil } }
  var word: String? { if case .word(let value) = self { value } else { nil } }
}

extension ClosedRange<Double> {
  /// True if there is a highest value below the number format's own.
  fileprivate var hasEnd: Bool { upperBound < .greatestFiniteMagnitude }
}

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
