/// An effect on an image, as users write it.
///
/// A filter is a value with named parameters. Its effect is defined by `plan`, which
/// turns it into passes. Everything else (text form, help, listing, tests) derives from
/// `definition`. A conforming type declares its `definition` once, as a static property, with
/// `init()` and `plan`; a type whose values are rows of a table also has a definition for each value.
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
  /// - Returns: a surface of full size.
  /// - Throws: `PlanError.badValue` when a parameter is out of range for this image.
  func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface
}

extension Filter {
  /// The definition of the type.
  public var definition: FilterDefinition<Self> { Self.definition }

  /// The filter that `init()` makes.
  public var defaults: Self { Self() }
}

/// A filter that computes each channel from itself alone, all by the same weighted mean of neighbors,
/// so it can be applied to planes of luma and chroma.
///
/// Its `plan` measures by `Planner.pixels` and divides lengths by `Planner.pitch`.
package protocol PlaneFilter: Filter {
  /// The edge mode, for what lies beyond the image; `nil` means the plan's.
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
  /// - Returns: a surface of full size.
  /// - Throws: `PlanError.badValue`, naming this filter and the one in it, when a parameter is out of
  ///   range for this image.
  public func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
    do {
      return try planner.applied(chain, to: source)
    } catch { throw error.inside(definition.name) }
  }
}

/// The table of a filter: its name, summary and parameters.
public struct FilterDefinition<Root: Filter>: Sendable {
  /// The name in text form: lower case with hyphens.
  public var name: String
  /// One sentence.
  public var summary: String
  /// The parameters, in positional order.
  public var parameters: [FilterParameter<Root>]
  /// A chain in text form that shows the filter at work on a small photograph, for the page
  /// docs/use/filters.md; `nil` where the defaults do.
  public var example: String?
  /// True if a part of an image, filtered alone, equals that part of the filtered whole, except near the part's border:
  /// the filter does not depend on the image's size, its middle, or a grid that begins at its corner. Noise may be the
  /// part's own. Lengths in percent depend on the image in any case; ignore them here.
  public var isTranslationInvariant: Bool

  /// A filter's table.
  ///
  /// - Parameters:
  ///   - name: lower case with hyphens; unique.
  ///   - summary: one sentence.
  ///   - parameters: in the order they are given by position; their names differ.
  ///   - example: a chain in text form; `nil` where the defaults show something.
  ///   - isTranslationInvariant: see the property; moving regions of videos are then computed alone, not in whole
  ///     frames.
  public init(
    _ name: String, _ summary: String, _ parameters: [FilterParameter<Root>] = [],
    example: String? = nil, isTranslationInvariant: Bool = false
  ) {
    self.name = name
    self.summary = summary
    self.parameters = parameters
    self.example = example
    self.isTranslationInvariant = isTranslationInvariant
  }
}

/// A filter's table without its type, for listings, help and tests.
public struct FilterInfo: Sendable, Hashable {
  /// One parameter of the table.
  public struct Parameter: Sendable, Hashable {
    /// The name in text form: lower case with hyphens.
    public var name: String
    /// The values that it accepts.
    public var kind: ParameterKind
    /// The default in text form; `nil` if the parameter is optional and follows another.
    public var defaultText: String?
    /// One sentence that says what the value does.
    public var help: String
  }

  /// The name in text form: lower case with hyphens.
  public var name: String
  /// One sentence.
  public var summary: String
  /// The parameters, in positional order.
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

  /// True if a part of an image, filtered alone with this filter's parameters, equals that part of the filtered whole.
  var isTranslationInvariant: Bool {
    let definition = definition
    return definition.isTranslationInvariant
      && !definition.parameters.contains { parameter in
        let value = parameter.read(self)
        return value?.sigma?.unit == .percent || value?.length?.unit == .percent
      }
  }

  /// The filter with lengths in pixels so many times as long.
  func magnified(by factor: Double) -> Self {
    var result = self
    for parameter in definition.parameters {
      switch parameter.read(self) {
      case .sigma(let sigma)? where sigma.unit == .pixels:
        parameter.write(&result, .sigma(Sigma(sigma.value * factor)))
      case .length(let length)? where length.unit == .pixels:
        parameter.write(&result, .length(Length(length.value * factor)))
      default: break
      }
    }
    return result
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

/// Filters applied one after another: `[.gaussian(sigma: 12), .saturation(1.8)]`.
///
/// `.gaussian(sigma:)` and the others are chains of one filter, and a list of chains is a chain. Every
/// filter of `Catalog` is available by name, with all its parameters: `FilterChain(text:)`.
public struct FilterChain: Sendable {
  /// In the order they are applied.
  public var filters: [any Filter]

  /// The filters of all these chains, in order; an empty chain leaves images unchanged.
  public init(_ chains: [FilterChain] = []) {
    self.init(filters: chains.flatMap(\.filters))
  }

  /// A chain of these filters, in order.
  public init(filters: [any Filter]) {
    self.filters = filters
  }

  /// A chain of one filter.
  public init(_ filter: some Filter) {
    self.init(filters: [filter])
  }

  /// A chain of one filter, for use in a list: `[.gaussian(sigma: 2), .filter(Exposure(stops: 1))]`.
  public static func filter(_ filter: some Filter) -> FilterChain { FilterChain(filter) }

  /// The chain with lengths in pixels multiplied by a factor, for an image that is larger by that factor along
  /// each side.
  package func magnified(by factor: Double) -> FilterChain {
    FilterChain(filters: filters.map { $0.magnified(by: factor) })
  }

  /// Adds another chain's filters at the end.
  public mutating func append(_ chain: FilterChain) { filters += chain.filters }

  /// The chain in text form, which `FilterChain(text:)` reads; `none` without filters.
  public var text: String {
    filters.isEmpty ? "none" : filters.map(\.text).joined(separator: " ")
  }

  /// The chain with every composite replaced by what it is made of.
  package var primitives: [any Filter] {
    filters.flatMap { filter in
      (filter as? any CompositeFilter).map { $0.chain.primitives } ?? [filter]
    }
  }

  /// True if a part of an image, filtered alone, equals that part of the filtered whole, except near the part's border.
  /// Noise is the part's own.
  package var isTranslationInvariant: Bool { primitives.allSatisfy(\.isTranslationInvariant) }
}

extension FilterChain: ExpressibleByArrayLiteral {
  /// The filters of all the chains in the list, in order.
  public init(arrayLiteral chains: FilterChain...) {
    self.init(chains)
  }
}

extension FilterChain: Hashable {
  /// Returns true if the filters and their parameters are the same, in the same order.
  public static func == (left: FilterChain, right: FilterChain) -> Bool {
    left.filters.map { AnyHashable($0) } == right.filters.map { AnyHashable($0) }
  }

  /// Feeds the filters, in order, to a hasher.
  public func hash(into hasher: inout Hasher) {
    for filter in filters { hasher.combine(AnyHashable(filter)) }
  }
}

extension FilterChain {
  /// The chain with weaker effects: the intensities of styles and the standard deviations of blurs are
  /// multiplied; filters with neither stay as they are.
  ///
  /// - Parameter strength: 0…1; 1 changes nothing.
  public func weakened(to strength: Double) -> FilterChain {
    guard strength < 1 else { return self }
    return FilterChain(filters: filters.map { $0.weakened(to: max(strength, 0)) as any Filter })
  }
}

extension Filter {
  fileprivate func weakened(to strength: Double) -> Self {
    var filter = self
    let parameters = definition.parameters
    let intensities = parameters.filter { $0.name == "intensity" }
    for parameter in intensities.isEmpty ? parameters : intensities {
      switch parameter.read(self) {
      case .sigma(var sigma):
        sigma.value *= strength
        parameter.write(&filter, .sigma(sigma))
      case .number(let number) where !intensities.isEmpty:
        parameter.write(&filter, .number(number * strength))
      default: break
      }
    }
    return filter
  }
}

extension FilterChain {
  /// Plans the chain for an image.
  ///
  /// The plan is the cheapest found whose certified error is under the quality's tolerance: first
  /// with 16-bit intermediates, then, where later passes magnify errors, with tighter blurs and
  /// float intermediates. If even that is not enough, see the plan's `certifiedError`.
  ///
  /// - Throws: `PlanError.badValue` when a parameter is out of range for this image.
  public func plan(
    for input: Plan.Input, options: PlanOptions = PlanOptions()
  ) throws(PlanError) -> Plan {
    try search(for: input, options: options).plan
  }

  /// The plan, and how tight it had to be made.
  func search(
    for input: Plan.Input, options: PlanOptions
  ) throws(PlanError) -> (plan: Plan, tightness: PlanSearch.Tightness) {
    let masking = try masking(of: input.size, options)
    let search = PlanSearch(options.quality, from: startingPrecision(input.format.depth, options))
    return try search.best { tightness throws(PlanError) in
      var planner = Planner(input, options: options, tightness)
      let surface = try surface(with: &planner, showing: masking)
      return planner.finish(surface, input: input)
    }
  }

  /// Returns the coverage in which the chain shows, in pixels.
  ///
  /// - Throws: `PlanError.badValue` for a scale out of range, for a size without pixels, and for a mask that does not
  ///   fit; `.tooLarge` for sides beyond the limit.
  func masking(of size: Size, _ options: PlanOptions) throws(PlanError) -> Masking? {
    try size.check(of: "picture")
    guard (0.001...1000).contains(options.scale) else {
      throw .badValue(
        filter: "options", parameter: "scale", value: shortest(options.scale),
        accepted: "from 0.001 to 1000 pixels per point")
    }
    return try options.mask?.masking(of: size, scale: options.scale)
  }

  /// The precision of intermediates to begin the search with.
  func startingPrecision(_ depth: PixelFormat.Depth, _ options: PlanOptions) -> Precision {
    // Float images may hold values outside 0…1, which only floats keep.
    if depth == .float32 { return .float32 }
    // A fill is divided by small weights.
    if options.mask?.redaction?.fill == .surroundings { return .float32 }
    // Pixels outside a mask keep their samples; fixed point keeps 15 of 16 bits.
    if depth == .uint16, options.mask != nil || filters.isEmpty { return .float32 }
    return options.quality.precision
  }

  /// Returns the chain's result for the planner's original.
  func surface(
    with planner: inout Planner, showing masking: Masking?
  ) throws(PlanError) -> Surface {
    let options = planner.options
    if options.mask?.use == .scale { planner.strength = masking?.shown }
    if let masking, let redaction = options.mask?.redaction {
      planner.restart(from: planner.redacted(masking, by: redaction))
    }
    var surface = planner.original
    if let masking, options.mask?.use == .confine {
      surface = planner.multiply(surface, by: planner.generate(.coverage(masking.shown)))
    }
    surface = try planner.applied(self, to: surface)
    guard options.mask?.use != .scale || planner.usedStrength else {
      throw .badValue(
        filter: "mask", parameter: "use", value: "scale",
        accepted: "show or confine, as no filter of the chain is a Gaussian with a σ to scale")
    }
    // A redaction without filters needs no further passes.
    if let masking, surface.slot != planner.original.slot {
      surface = planner.shown(surface, by: masking.shown)
    }
    return surface
  }
}

/// Settings for a whole chain of filters.
public struct PlanOptions: Sendable, Hashable {
  /// The edge mode: what blurs read beyond the image's border.
  public var edge: EdgeMode
  /// The accuracy that the plan must reach.
  public var quality: Quality
  /// True if filters work on linear light instead of encoded values; color filters, too, then act on
  /// linear values.
  public var linearLight: Bool
  /// Pixels per UIKit point; above 0.
  public var scale: Double
  /// The mask within which the chain shows; `nil` is everywhere.
  public var mask: Mask?

  /// Options; those left out have their defaults.
  public init(
    edge: EdgeMode = .clamp, quality: Quality = .high, linearLight: Bool = false,
    scale: Double = 1, mask: Mask? = nil
  ) {
    self.edge = edge
    self.quality = quality
    self.linearLight = linearLight
    self.scale = scale
    self.mask = mask
  }
}

extension PlanOptions {
  /// The accuracy that a plan must reach.
  public enum Quality: String, Sendable, Hashable, CaseIterable {
    /// Certified under 1 level of 255 for any input, so 8-bit results are at most 1 level off.
    case high = "exact"
    /// Certified under 2 levels; may store intermediates as half floats.
    case fast
    /// Certified under 2 codes of 65535 for any input, of which kernels take 1 and floats the rest; for images of 16 bits.
    case exact16

    /// The precision of intermediates that a search for a plan begins with.
    var precision: Precision {
      switch self {
      case .high: .fixed16
      case .fast: .half
      case .exact16: .float32
      }
    }

    /// Takes `exact` or `high`, `fast` or `draft`, and `exact16`; `nil` for other text.
    public init?(rawValue: String) {
      switch rawValue {
      case "exact", "high": self = .high
      case "fast", "draft": self = .fast
      case "exact16": self = .exact16
      default: return nil
      }
    }

    /// The largest kernel error of one axis of a Gaussian that a search for a plan begins with, in levels of 255.
    ///
    /// Two axes share what arithmetic leaves; floats may take half of all.
    var firstBudget: Double { 0.43 * (self == .exact16 ? tolerance / 2 : tolerance) }

    /// The certified error a plan must stay under, in levels of 255.
    public var tolerance: Double {
      switch self {
      case .high: 1
      case .fast: 2
      case .exact16: 2 * 255.0 / 65535
      }
    }
  }
}
