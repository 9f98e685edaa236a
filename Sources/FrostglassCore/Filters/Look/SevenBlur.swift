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

/// The presets of 7blur.
public enum SevenBlurColor {
  public enum Light: SevenBlurPreset {
    public static let name = "7blur-light"
    public static let summary = "7blur's light effect."
    public static let points = 22.0
    public static let saturation = 1.8
    public static let veil = Color(white: 0.8, alpha: 0.2)
  }

  public enum Dark: SevenBlurPreset {
    public static let name = "7blur-dark"
    public static let summary = "7blur's dark effect."
    public static let veil = Color(white: 0, alpha: 0.5)
  }

  public enum Coral: SevenBlurPreset {
    public static let name = "7blur-coral"
    public static let summary = "7blur's coral effect: a touch of red."
    public static let veil = Color(red: 1, green: 0, blue: 0, alpha: 0.1)
  }

  public enum Neon: SevenBlurPreset {
    public static let name = "7blur-neon"
    public static let summary = "7blur's neon effect: a touch of green."
    public static let veil = Color(red: 0, green: 1, blue: 0, alpha: 0.1)
  }

  public enum Sky: SevenBlurPreset {
    public static let name = "7blur-sky"
    public static let summary = "7blur's sky effect: a touch of blue."
    public static let veil = Color(red: 0, green: 0, blue: 1, alpha: 0.1)
  }
}
