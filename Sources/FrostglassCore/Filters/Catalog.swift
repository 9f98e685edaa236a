/// Every filter there is. A new filter is its own file and one row here.
public enum Catalog {
  /// Blurs, colors, CSS functions, looks; in the order listings show.
  public static let filters: [any Filter.Type] = [
    Gaussian.self,
    Box.self,
    TripleBox.self,
    Kawase.self,
    Motion.self,
    Zoom.self,
    Spin.self,
    Lens.self,
    ProgressiveBlur.self,
    TiltShift.self,
    SelectiveBlur.self,
    BilateralFilter.self,
    SeparableBilateralFilter.self,
    MedianFilter.self,
    Pixelate.self,
    FilmGrain.self,
    Dither.self,
    Saturation.self,
    Lift.self,
    LuminanceRange.self,
    Tint.self,
    Mix.self,
    Over.self,
    CSSBlur.self,
    CSSBrightness.self,
    CSSContrast.self,
    CSSDropShadow.self,
    CSSGrayscale.self,
    CSSHueRotate.self,
    CSSInvert.self,
    CSSOpacity.self,
    CSSSaturate.self,
    CSSSepia.self,
    GPUImageBilateral.self,
    IOSBlur.self,
    LightStyle.self,
    ExtraLightStyle.self,
    DarkStyle.self,
  ]

  /// The filter with this name in text form.
  public static func filter(named name: String) -> (any Filter.Type)? {
    filters.first { $0.info.name == name }
  }

  /// The styles of `--style`: looks with a blur of their own.
  public static var styles: [any Filter.Type] {
    filters.filter { $0 is any Style.Type }
  }
}
