/// A filter's table without its type, for listings, help and tests.
public struct FilterInfo: Sendable, Hashable {
  public struct ParameterInfo: Sendable, Hashable {
    public var name: String
    public var kind: ParameterKind
    /// The default in text form; `nil` when the parameter may be left out and then follows another.
    public var defaultText: String?
    public var help: String
  }

  public var name: String
  public var summary: String
  public var parameters: [ParameterInfo]
  /// A chain in text form that shows the filter at work on a small photograph.
  public var example: String
}

extension Filter {
  /// The filter's table.
  public static var info: FilterInfo {
    let defaults = Self()
    return FilterInfo(
      name: definition.name, summary: definition.summary,
      parameters: definition.parameters.map { parameter in
        FilterInfo.ParameterInfo(
          name: parameter.name, kind: parameter.kind,
          defaultText: parameter.read(defaults)?.description, help: parameter.help)
      },
      example: definition.example ?? "\(definition.name)()")
  }

  /// The filter in text form, with the parameters that differ from their defaults.
  public var text: String {
    let defaults = Self()
    let given = Self.definition.parameters.compactMap { parameter -> String? in
      guard let value = parameter.read(self), value != parameter.read(defaults) else { return nil }
      return "\(parameter.name)=\(value)"
    }
    return "\(Self.definition.name)(\(given.joined(separator: ", ")))"
  }

  /// Sets the parameter at `index` of the table.
  package mutating func set(parameter index: Int, to value: ParameterValue) {
    Self.definition.parameters[index].write(&self, value)
  }
}

extension Filter {
  /// Checks the parameters with a fixed range, so that values set in code are refused as those in
  /// text are.
  package func checkRanges() throws(PlanError) {
    for parameter in Self.definition.parameters {
      let inside =
        switch (parameter.kind, parameter.read(self)) {
        case (.factor(let range), .number(let value)): range.contains(value)
        case (.integer(let range), .integer(let value)): range.contains(value)
        case (.angle, .angle(let angle)): angle.radians.isFinite
        case (.color, .color(let color)):
          [color.red, color.green, color.blue, color.alpha].allSatisfy { (0...1).contains($0) }
        default: true
        }
      guard inside else {
        throw .badValue(
          filter: Self.definition.name, parameter: parameter.name,
          value: parameter.read(self)?.description ?? "", accepted: parameter.kind.accepted)
      }
    }
  }
}
