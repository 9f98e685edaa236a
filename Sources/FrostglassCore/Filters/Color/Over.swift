/// Lays the result so far over the picture the chain began with, as `backdrop-filter` does.
///
/// Where that picture is opaque, so is the result.
public struct Over: Filter {
  public static let definition = FilterDefinition<Over>(
    "over", "Lays the result of the filters before it over the picture they began with.",
    example: "blur(8px) opacity(60%) over()")

  public init() {}

  public func plan(_ source: Surface, with planner: inout Planner) -> Surface {
    source.layout.hasAlpha ? planner.over(source, planner.original) : source
  }
}

extension Filter where Self == Over {
  /// Lays the result so far over the picture the chain began with.
  public static var over: Over { Over() }
}
