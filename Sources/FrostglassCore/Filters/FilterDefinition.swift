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
