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
