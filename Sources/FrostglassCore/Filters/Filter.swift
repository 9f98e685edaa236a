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
