/// A finished look that can be asked for by name alone; its σ can be replaced.
public protocol Style: CompositeFilter {
  /// Standard deviation of the look's blur.
  var sigma: Sigma { get set }
}
