/// One parameter of a filter: what it is called, what it takes, and where it is kept.
///
/// The default is not part of it: it is what the filter's `init()` puts there.
public struct Parameter<Root: Filter>: Sendable {
  /// Where a value of a filter is kept.
  public typealias Path<Value> = any WritableKeyPath<Root, Value> & Sendable

  public var name: String
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
  ) -> Parameter {
    Parameter(name, .factor(range), path, help, wrap: { .number($0) }, unwrap: \.number)
  }

  /// A plain number or a percentage without a highest value.
  public static func factor(
    _ name: String, _ path: Path<Double>, in range: PartialRangeFrom<Double>, _ help: String
  ) -> Parameter {
    factor(name, path, in: range.lowerBound...Double.greatestFiniteMagnitude, help)
  }

  /// A whole number.
  public static func integer(
    _ name: String, _ path: Path<Int>, in range: ClosedRange<Int>, _ help: String
  ) -> Parameter {
    Parameter(name, .integer(range), path, help, wrap: { .integer($0) }, unwrap: \.integer)
  }

  /// A standard deviation in px, pt or % of the shorter side.
  public static func sigma(_ name: String, _ path: Path<Sigma>, _ help: String) -> Parameter {
    Parameter(name, .sigma, path, help, wrap: { .sigma($0) }, unwrap: \.sigma)
  }

  /// A standard deviation that may be left out.
  public static func sigma(_ name: String, _ path: Path<Sigma?>, _ help: String) -> Parameter {
    Parameter(
      name, .sigma, path, help, wrap: { $0.map { .sigma($0) } }, unwrap: \.sigma)
  }

  /// A distance in px, pt or % of the shorter side, in a range of pixels.
  public static func length(
    _ name: String, _ path: Path<Length>, in range: ClosedRange<Double>, _ help: String
  ) -> Parameter {
    Parameter(name, .length(range), path, help, wrap: { .length($0) }, unwrap: \.length)
  }

  /// An angle in deg, rad, grad or turn.
  public static func angle(_ name: String, _ path: Path<Angle>, _ help: String) -> Parameter {
    Parameter(name, .angle, path, help, wrap: { .angle($0) }, unwrap: \.angle)
  }

  /// A CSS color.
  public static func color(_ name: String, _ path: Path<Color>, _ help: String) -> Parameter {
    Parameter(name, .color, path, help, wrap: { .color($0) }, unwrap: \.color)
  }

  /// One of a few words.
  public static func choice<Choice>(
    _ name: String, _ path: Path<Choice>, _ help: String
  ) -> Parameter
  where Choice: RawRepresentable & CaseIterable & SendableMetatype, Choice.RawValue == String {
    Parameter(
      name, .choice(Choice.allCases.map(\.rawValue)), path, help,
      wrap: { .word($0.rawValue) }, unwrap: { $0.word.flatMap { Choice(rawValue: $0) } })
  }

  /// One of a few words that may be left out.
  public static func choice<Choice>(
    _ name: String, _ path: Path<Choice?>, _ help: String
  ) -> Parameter
  where Choice: RawRepresentable & CaseIterable & SendableMetatype, Choice.RawValue == String {
    Parameter(
      name, .choice(Choice.allCases.map(\.rawValue)), path, help,
      wrap: { $0.map { .word($0.rawValue) } },
      unwrap: { $0.word.flatMap { Choice(rawValue: $0) } })
  }
}
