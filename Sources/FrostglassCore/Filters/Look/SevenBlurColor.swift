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
