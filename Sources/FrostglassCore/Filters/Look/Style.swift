/// A finished look that can be asked for by name alone; its σ can be replaced, its strength set.
package protocol Style: Filter {
  /// Standard deviation of the look's blur at full intensity.
  var sigma: Sigma { get set }
  /// From 0, the picture untouched, to 1, the full look.
  ///
  /// Every number of the look grows with it, as an animation from no effect to the effect does it:
  /// half the intensity is half the blur, not a sharp picture mixed with a blurred one.
  var intensity: Double { get set }
}

extension FilterParameter where Root: Style {
  /// The σ of a style that keeps it as it is.
  static var styleSigma: FilterParameter {
    .sigma("sigma", \.sigma, "Standard deviation of the blur.")
  }

  /// The intensity of a style.
  static var intensity: FilterParameter {
    .factor(
      "intensity", \.intensity, in: 0...1,
      "0 leaves the image as it is, 1 is the full look; blur and colors grow together.")
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

/// A look that is one row of a table: its arithmetic is the type's, its numbers are the row's.
package protocol PresetStyle: Style {
  /// A row of the table.
  associatedtype Preset: StylePreset
  /// The row this look is.
  var preset: Preset { get }
  /// The parameters that every row has.
  static var parameters: [FilterParameter<Self>] { get }
  /// The look of a row, with every parameter at its default.
  init(_ preset: Preset)
}

/// A row of a table of looks.
package protocol StylePreset: Sendable, Hashable, CaseIterable {
  /// The name in text form.
  var name: String { get }
  /// One sentence.
  var summary: String { get }
  /// A chain in text form that shows the look at work on a small photograph, where the defaults
  /// do not.
  var example: String? { get }
}

extension PresetStyle {
  package static var definition: FilterDefinition<Self> { Self().definition }
  package static var parameters: [FilterParameter<Self>] { [.styleSigma, .intensity] }

  package var definition: FilterDefinition<Self> {
    FilterDefinition(preset.name, preset.summary, Self.parameters, example: preset.example)
  }

  package var defaults: Self { Self(preset) }
}
