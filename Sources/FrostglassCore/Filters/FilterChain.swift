/// Filters applied one after another: `[.gaussian(sigma: 12), .saturation(1.8)]`.
///
/// `.gaussian(sigma:)` and its like are chains of one filter, and a list of chains is a chain. Every
/// filter of `Catalog` can be asked for by name, with all its parameters: `FilterChain(text:)`.
public struct FilterChain: Sendable {
  /// In the order they are applied.
  public var filters: [any Filter]

  /// The filters of all these chains, in order; none leave a picture as it is.
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

  /// Adds another chain's filters at the end.
  public mutating func append(_ chain: FilterChain) { filters += chain.filters }

  /// The chain in text form: `FilterChain(text:)` gives it back. `none` without filters.
  public var text: String {
    filters.isEmpty ? "none" : filters.map(\.text).joined(separator: " ")
  }

  /// The chain with every composite replaced by what it is made of.
  package var primitives: [any Filter] {
    filters.flatMap { filter in
      (filter as? any CompositeFilter).map { $0.chain.primitives } ?? [filter]
    }
  }

  /// Whether a part of a picture becomes what the whole does, but near the part's border. Noise is the part's
  /// own.
  package var worksInWindows: Bool { primitives.allSatisfy(\.worksInWindows) }
}

extension FilterChain: ExpressibleByArrayLiteral {
  /// The filters of all the chains in the list, in order.
  public init(arrayLiteral chains: FilterChain...) {
    self.init(chains)
  }
}

extension FilterChain: Hashable {
  /// Whether the filters and their parameters are the same, in the same order.
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
