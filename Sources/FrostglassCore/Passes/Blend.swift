/// Mixes two pictures: `first * (1 - amount) + second * amount`.
public struct Blend: Sendable, Hashable {
  /// 0 gives the first source, 1 the second.
  public var amount: Float

  package init(amount: Float) {
    self.amount = amount
  }
}
