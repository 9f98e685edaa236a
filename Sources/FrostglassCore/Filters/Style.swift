/// A finished look that can be asked for by name alone; its σ can be replaced, its strength set.
public protocol Style: Filter {
  /// Standard deviation of the look's blur at full intensity.
  var sigma: Sigma { get set }
  /// From 0, the picture untouched, to 1, the full look.
  ///
  /// Every number of the look grows with it, as an animation from no effect to the effect does it:
  /// half the intensity is half the blur, not a sharp picture mixed with a blurred one.
  var intensity: Double { get set }
}

extension Parameter where Root: Style {
  /// The σ of a style that keeps it as it is.
  static var styleSigma: Parameter {
    .sigma("sigma", \.sigma, "Standard deviation of the blur.")
  }

  /// The intensity of a style.
  static var intensity: Parameter {
    .factor(
      "intensity", \.intensity, in: 0...1,
      "0 leaves the picture as it is, 1 is the full look; blur and colors grow together.")
  }
}

extension Style {
  /// A number that changes nothing when it is `none`, at the style's intensity.
  func grown(_ full: Double, from none: Double = 0) -> Double {
    none + (full - none) * intensity
  }

  /// A standard deviation at the style's intensity.
  func grown(_ full: Sigma) -> Sigma { Sigma(full.value * intensity, full.unit) }
}
