/// What a person asks for.
///
/// A filter is a value with named parameters. It meets the machine in one place: `plan`, which
/// turns it into passes. Everything else (text form, help, listing, tests) is read from
/// `definition`.
public protocol Filter: Sendable, Hashable {
  /// Name, summary and parameters.
  static var definition: FilterDefinition<Self> { get }

  /// The filter with every parameter at its default.
  init()

  /// Adds the filter's passes.
  ///
  /// - Returns: a full-size picture.
  /// - Throws: `PlanError.badValue` when a parameter is out of range for this picture.
  func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface
}

/// A filter made of other filters.
public protocol CompositeFilter: Filter {
  /// The filters, in the order they are applied.
  var filters: [any Filter] { get }
}

extension CompositeFilter {
  public func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
    var surface = source
    do throws(PlanError) {
      for filter in filters {
        try filter.checkRanges()
        surface = try filter.plan(surface, with: &planner)
      }
    } catch { throw error.inside(Self.definition.name) }
    return surface
  }
}

/// The one table about a filter: its name, what it does, and its parameters.
public struct FilterDefinition<Root: Filter>: Sendable {
  /// The name in text form: lower case with hyphens.
  public var name: String
  /// One sentence.
  public var summary: String
  /// In the order they are given by position.
  public var parameters: [Parameter<Root>]
  /// A chain in text form that shows the filter at work on a small photograph, for the page
  /// docs/filters.md; `nil` where the defaults do.
  public var example: String?

  public init(
    _ name: String, _ summary: String, _ parameters: [Parameter<Root>] = [],
    example: String? = nil
  ) {
    self.name = name
    self.summary = summary
    self.parameters = parameters
    self.example = example
  }
}

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

/// A finished look that can be asked for by name alone; its σ can be replaced, its strength set.
public protocol Style: Filter {
  /// Standard deviation of the look's blur at full intensity.
  var sigma: Sigma { get set }
  /// From 0, the picture untouched, to 1, the full look.
  ///
  /// Every number of the look grows with it, as an animation from no effect to the effect does it:
  /// half the intensity is half the blur, not a sharp picture mixed with a blurred one.
  var intensity: Double { get set }
}

extension Parameter where Root: Style {
  /// The σ of a style that keeps it as it is.
  static var styleSigma: Parameter {
    .sigma("sigma", \.sigma, "Standard deviation of the blur.")
  }

  /// The intensity of a style.
  static var intensity: Parameter {
    .factor(
      "intensity", \.intensity, in: 0...1,
      "0 leaves the picture as it is, 1 is the full look; blur and colors grow together.")
  }
}

extension Style {
  /// A number that changes nothing when it is `none`, at the style's intensity.
  func grown(_ full: Double, from none: Double = 0) -> Double {
    none + (full - none) * intensity
  }

  /// A standard deviation at the style's intensity.
  func grown(_ full: Sigma) -> Sigma { Sigma(full.value * intensity, full.unit) }
}
