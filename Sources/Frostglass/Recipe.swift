/// What to do with a picture.
public struct Recipe: Sendable, Hashable {
  public var chain: FilterChain
  public var options: PlanOptions
  /// What transparent results are composed on where the output has no alpha.
  public var background: Color

  public init(
    _ chain: FilterChain, options: PlanOptions = PlanOptions(), background: Color = .white
  ) {
    self.chain = chain
    self.options = options
    self.background = background
  }
}
