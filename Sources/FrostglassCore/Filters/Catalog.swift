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
    GPUImageGaussian.self,
    GPUImageBox.self,
    GPUImageBilateral.self,
    GPUImageZoom.self,
    GPUImageMotion.self,
    GPUImageTiltShift.self,
    GPUImageSelective.self,
    GPUImagePosition.self,
    IOSBlur.self,
    LightStyle.self,
    ExtraLightStyle.self,
    DarkStyle.self,
    Material<SystemMaterial.UltraThinLight>.self,
    Material<SystemMaterial.ThinLight>.self,
    Material<SystemMaterial.RegularLight>.self,
    Material<SystemMaterial.ThickLight>.self,
    Material<SystemMaterial.ChromeLight>.self,
    Material<SystemMaterial.UltraThinDark>.self,
    Material<SystemMaterial.ThinDark>.self,
    Material<SystemMaterial.RegularDark>.self,
    Material<SystemMaterial.ThickDark>.self,
    Material<SystemMaterial.ChromeDark>.self,
    Material<SurfaceMaterial.DockLight>.self,
    Material<SurfaceMaterial.DockDark>.self,
    Material<SurfaceMaterial.PlatterLight>.self,
    Material<SurfaceMaterial.PlatterDark>.self,
    Material<SurfaceMaterial.ToolbarButton>.self,
    CustomStyle.self,
    ImageEffects<ImageEffectsSample.Light>.self,
    ImageEffects<ImageEffectsSample.ExtraLight>.self,
    ImageEffects<ImageEffectsSample.Dark>.self,
    ImageEffectsTint.self,
    SevenBlur<SevenBlurColor.Light>.self,
    SevenBlur<SevenBlurColor.Dark>.self,
    SevenBlur<SevenBlurColor.Coral>.self,
    SevenBlur<SevenBlurColor.Neon>.self,
    SevenBlur<SevenBlurColor.Sky>.self,
    Vibrancy.self,
    Glass.self,
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

extension Catalog {
  /// The page docs/filters.md: every filter with an example, its picture and its parameters.
  ///
  /// Pictures are beside the page, in `filters/NAME.webp`; `make filters` makes page and pictures.
  public static var page: String {
    let infos = filters.map { $0.info }
    let links = infos.map { "[\($0.name)](#\($0.name))" }.joined(separator: " · ")
    let head = """
      # Filters

      All \(infos.count) filters, each at work on the same photograph. They are written as in \
      [filter-text.md](filter-text.md) and can be put one after another:

          frostglass blur photo.jpg out.jpg --filter "blur(20px) saturate(180%)"

      ![The photograph](filters/original.webp)

      \(links)

      """
    return ([head] + infos.map(\.section)).joined(separator: "\n")
  }
}

extension FilterInfo {
  /// The filter's part of the page.
  fileprivate var section: String {
    """
    ## \(name)

    \(summary)

        \(example)

    ![\(example)](filters/\(name).webp)

    \(parameterTable)

    """
  }

  private var parameterTable: String {
    guard !parameters.isEmpty else { return "It takes no parameters." }
    let rows = parameters.map { parameter in
      let initial = parameter.defaultText.map { "`\($0)`" } ?? "may be left out"
      let cells = [
        "`\(parameter.name)`", parameter.help, parameter.kind.accepted, initial,
      ]
      return "| " + cells.map(escaped).joined(separator: " | ") + " |"
    }
    return (["| parameter | what it does | accepted | default |", "|---|---|---|---|"] + rows)
      .joined(separator: "\n")
  }

  /// A bar would end a cell of the table.
  private func escaped(_ text: String) -> String {
    text.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
  }
}
