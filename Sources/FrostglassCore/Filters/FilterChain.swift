/// Filters applied one after another: `[.gaussian(sigma: 12), .saturation(1.8)]`.
public struct FilterChain: Sendable {
  public var filters: [any Filter]

  public init(_ filters: [any Filter]) {
    self.filters = filters
  }

  /// The chain in text form: `FilterChain(text:)` gives it back. `none` without filters.
  public var text: String {
    filters.isEmpty ? "none" : filters.map(\.text).joined(separator: " ")
  }

  /// The chain with every composite replaced by what it is made of.
  public var primitives: [any Filter] {
    filters.flatMap { filter in
      (filter as? any CompositeFilter).map { FilterChain($0.filters).primitives } ?? [filter]
    }
  }
}

extension FilterChain {
  /// Adds a filter at the end.
  public mutating func append(_ filter: some Filter) { filters.append(filter) }

  /// Adds another chain's filters at the end.
  public mutating func append(contentsOf chain: FilterChain) { filters += chain.filters }
}

extension FilterChain: ExpressibleByArrayLiteral {
  public init(arrayLiteral filters: any Filter...) {
    self.init(filters)
  }
}

extension FilterChain: Hashable {
  public static func == (left: FilterChain, right: FilterChain) -> Bool {
    left.filters.map { AnyHashable($0) } == right.filters.map { AnyHashable($0) }
  }

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
    return FilterChain(filters.map { $0.weakened(to: max(strength, 0)) as any Filter })
  }
}

extension Filter {
  fileprivate func weakened(to strength: Double) -> Self {
    var filter = self
    let parameters = Self.definition.parameters
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
