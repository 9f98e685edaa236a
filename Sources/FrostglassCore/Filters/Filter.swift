/// What a person asks for.
///
/// A filter is a value with named parameters. It meets the machine in one place: `plan`, which
/// turns it into passes. Everything else (text form, help, listing, tests) is read from
/// `definition`. A conforming type declares its `definition` once, as a static property, with
/// `init()` and `plan`; a type whose values are rows of a table also says which row a value is.
public protocol Filter: Sendable, Hashable {
  /// Name, summary and parameters of what `init()` makes.
  static var definition: FilterDefinition<Self> { get }

  /// The filter with every parameter at its default.
  init()

  /// Name, summary and parameters of this filter; the type's own where there is one of it.
  var definition: FilterDefinition<Self> { get }

  /// This filter with every parameter at its default.
  var defaults: Self { get }

  /// Adds the filter's passes.
  ///
  /// - Returns: a full-size picture.
  /// - Throws: `PlanError.badValue` when a parameter is out of range for this picture.
  func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface
}

extension Filter {
  /// That of the type.
  public var definition: FilterDefinition<Self> { Self.definition }

  /// What `init()` makes.
  public var defaults: Self { Self() }
}

/// A filter that makes each channel of itself alone and all alike, by a weighted mean of neighbors:
/// so it may as well be applied to planes of brightness and color differences.
///
/// Its `plan` measures by `Planner.pixels` and divides lengths by `Planner.pitch`.
package protocol PlaneFilter: Filter {
  /// What is seen beyond the picture; `nil` means what the plan's options say.
  var edge: EdgeMode? { get }
}

extension PlaneFilter {
  package var edge: EdgeMode? { nil }
}

/// A filter made of other filters.
public protocol CompositeFilter: Filter {
  /// The filters, in the order they are applied.
  var chain: FilterChain { get }
}

extension CompositeFilter {
  /// Adds the passes of its filters.
  ///
  /// - Returns: a full-size picture.
  /// - Throws: `PlanError.badValue`, naming this filter and the one in it, when a parameter is out of
  ///   range for this picture.
  public func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
    do throws(PlanError) {
      return try planner.applied(chain, to: source)
    } catch { throw error.inside(definition.name) }
  }
}

/// The one table about a filter: its name, what it does, and its parameters.
public struct FilterDefinition<Root: Filter>: Sendable {
  /// The name in text form: lower case with hyphens.
  public var name: String
  /// One sentence.
  public var summary: String
  /// In the order they are given by position.
  public var parameters: [FilterParameter<Root>]
  /// A chain in text form that shows the filter at work on a small photograph, for the page
  /// docs/filters.md; `nil` where the defaults do.
  public var example: String?
  /// Whether a part of a picture becomes what the whole does, but near the part's border: the filter does not go
  /// by how large the picture is, by its middle or by a grid that begins at its corner. Noise may be the part's
  /// own. Lengths in percent go by the picture in any case, and need not be thought of here.
  public var worksInWindows: Bool

  /// A filter's table.
  ///
  /// - Parameters:
  ///   - name: lower case with hyphens; no other filter's.
  ///   - summary: one sentence.
  ///   - parameters: in the order they are given by position; their names differ.
  ///   - example: a chain in text form; `nil` where the defaults show something.
  ///   - worksInWindows: see the property; what moves through a film is computed where it is, and not in whole
  ///     frames, with filters of which that is known.
  public init(
    _ name: String, _ summary: String, _ parameters: [FilterParameter<Root>] = [],
    example: String? = nil, worksInWindows: Bool = false
  ) {
    self.name = name
    self.summary = summary
    self.parameters = parameters
    self.example = example
    self.worksInWindows = worksInWindows
  }
}

/// A filter's table without its type, for listings, help and tests.
public struct FilterInfo: Sendable, Hashable {
  /// One parameter of the table.
  public struct Parameter: Sendable, Hashable {
    /// The name in text form: lower case with hyphens.
    public var name: String
    /// What values it takes.
    public var kind: ParameterKind
    /// The default in text form; `nil` when the parameter may be left out and then follows another.
    public var defaultText: String?
    /// One sentence that says what the value does.
    public var help: String
  }

  /// The name in text form: lower case with hyphens.
  public var name: String
  /// One sentence.
  public var summary: String
  /// In the order they are given by position.
  public var parameters: [Parameter]
  /// A chain in text form that shows the filter at work on a small photograph.
  public var example: String
}

extension Filter {
  /// The name in text form.
  public var name: String { definition.name }

  /// The filter's table.
  public var info: FilterInfo {
    let definition = definition
    let defaults = defaults
    return FilterInfo(
      name: definition.name, summary: definition.summary,
      parameters: definition.parameters.map { parameter in
        FilterInfo.Parameter(
          name: parameter.name, kind: parameter.kind,
          defaultText: parameter.read(defaults)?.description, help: parameter.help)
      },
      example: definition.example ?? "\(definition.name)()")
  }

  /// The filter in text form, with the parameters that differ from their defaults.
  public var text: String {
    let definition = definition
    let defaults = defaults
    let given = definition.parameters.compactMap { parameter -> String? in
      guard let value = parameter.read(self), value != parameter.read(defaults) else { return nil }
      return "\(parameter.name)=\(value)"
    }
    return "\(definition.name)(\(given.joined(separator: ", ")))"
  }

  /// Whether a part of a picture becomes what the whole does, with the parameters that this filter has.
  var worksInWindows: Bool {
    let definition = definition
    return definition.worksInWindows
      && !definition.parameters.contains { parameter in
        let value = parameter.read(self)
        return value?.sigma?.unit == .percent || value?.length?.unit == .percent
      }
  }

  /// Sets the parameter at `index` of the table.
  package mutating func set(parameter index: Int, to value: ParameterValue) {
    definition.parameters[index].write(&self, value)
  }

  /// Checks the parameters with a fixed range, so that values set in code are refused as those in
  /// text are.
  package func checkRanges() throws(PlanError) {
    let definition = definition
    for parameter in definition.parameters {
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
          filter: definition.name, parameter: parameter.name,
          value: parameter.read(self)?.description ?? "", accepted: parameter.kind.accepted)
      }
    }
  }
}

/// A finished look that can be asked for by name alone; its σ can be replaced, its strength set.
package protocol Style: Filter {
  /// Standard deviation of the look's blur at full intensity.
  var sigma: Sigma { get set }
  /// From 0, the picture untouched, to 1, the full look.
  ///
  /// Every number of the look grows with it, as an animation from no effect to the effect does it:
  /// half the intensity is half the blur, not a sharp picture mixed with a blurred one.
  var intensity: Double { get set }
}

extension FilterParameter where Root: Style {
  /// The σ of a style that keeps it as it is.
  static var styleSigma: FilterParameter {
    .sigma("sigma", \.sigma, "Standard deviation of the blur.")
  }

  /// The intensity of a style.
  static var intensity: FilterParameter {
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

/// A look that is one row of a table: its arithmetic is the type's, its numbers are the row's.
package protocol PresetStyle: Style {
  /// A row of the table.
  associatedtype Preset: StylePreset
  /// The row this look is.
  var preset: Preset { get }
  /// What can be set about every row.
  static var parameters: [FilterParameter<Self>] { get }
  /// The look of a row, with every parameter at its default.
  init(_ preset: Preset)
}

/// What rows of all tables of looks have.
package protocol StylePreset: Sendable, Hashable, CaseIterable {
  /// The name in text form.
  var name: String { get }
  /// One sentence.
  var summary: String { get }
  /// A chain in text form that shows the look at work on a small photograph, where the defaults
  /// do not.
  var example: String? { get }
}

extension PresetStyle {
  package static var definition: FilterDefinition<Self> { Self().definition }
  package static var parameters: [FilterParameter<Self>] { [.styleSigma, .intensity] }

  package var definition: FilterDefinition<Self> {
    FilterDefinition(preset.name, preset.summary, Self.parameters, example: preset.example)
  }

  package var defaults: Self { Self(preset) }
}
