/// One of the color presets of 7blur: a blur, very rich colors, a veil.
///
/// 7blur shrinks a snapshot to a quarter, blurs that with three boxes of width 11 (radius 6) or 15
/// (radius 8), saturates and tints it, and shows it stretched four times. Boxes and stretching
/// together have a variance of `16 · 3 (d² − 1) / 12 + 16 / 6` pixels: σ = 22 and σ = 30, a Gaussian of
/// which is what is computed here, at full precision. Its pixels are UIKit points.
public struct SevenBlur<Preset: SevenBlurPreset>: ClassicStyle {
  public var sigma: Sigma
  public var intensity = 1.0

  public static var saturation: Double { Preset.saturation }
  public static var veil: Color { Preset.veil }

  public static var definition: FilterDefinition<SevenBlur> {
    FilterDefinition(Preset.name, Preset.summary, [.styleSigma, .intensity])
  }

  public init() { sigma = Sigma(Preset.points, .points) }
}

/// What one of 7blur's presets is called and what it does: a name for `SevenBlur`.
public protocol SevenBlurPreset: Sendable {
  /// The name in text form.
  static var name: String { get }
  /// One sentence.
  static var summary: String { get }
  /// The effective standard deviation in UIKit points.
  static var points: Double { get }
  /// 1 leaves colors as they are.
  static var saturation: Double { get }
  /// The veil, with how much of it as its alpha.
  static var veil: Color { get }
}

extension SevenBlurPreset {
  public static var points: Double { 30 }
  public static var saturation: Double { 3 }
}
