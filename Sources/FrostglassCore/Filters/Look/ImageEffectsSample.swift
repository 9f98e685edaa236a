/// The named looks of Apple's ImageEffects sample.
public enum ImageEffectsSample {
  public enum Light: ImageEffectsPreset {
    public static let name = "image-effects-light"
    public static let summary = "Light, as in Apple's ImageEffects sample."
    public static let points = 30.0
    public static let veil = Color(white: 1, alpha: 0.3)
  }

  public enum ExtraLight: ImageEffectsPreset {
    public static let name = "image-effects-extra-light"
    public static let summary = "Extra light, as in Apple's ImageEffects sample."
    public static let points = 20.0
    public static let veil = Color(white: 0.97, alpha: 0.82)
  }

  public enum Dark: ImageEffectsPreset {
    public static let name = "image-effects-dark"
    public static let summary = "Dark, as in Apple's ImageEffects sample."
    public static let points = 20.0
    public static let veil = Color(white: 0.11, alpha: 0.73)
  }
}
