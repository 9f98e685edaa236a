/// Every filter there is. A new filter is its own file and one row here.
public enum Catalog {
  /// Every filter with its parameters at their defaults: blurs, colors, CSS functions, looks; in the
  /// order listings show.
  public static let filters: [any Filter] =
    blurs + colors + styleSheets + gpuImage + [IOSBlur()]
    + ClassicStyle.Preset.uikit.map { ClassicStyle($0) }
    + Material.Preset.allCases.map { Material($0) } + [CustomStyle()]
    + ImageEffects.Preset.allCases.map { ImageEffects($0) } + [ImageEffectsTint()]
    + ClassicStyle.Preset.sevenBlur.map { ClassicStyle($0) } + [Vibrancy(), Glass()]

  private static let blurs: [any Filter] = [
    Gaussian(), Box(), TripleBox(), Kawase(), Motion(), Zoom(), Spin(), Lens(), ProgressiveBlur(),
    TiltShift(), SelectiveBlur(), BilateralFilter(), SeparableBilateralFilter(), MedianFilter(),
    Pixelate(), FilmGrain(), Dither(),
  ]

  private static let colors: [any Filter] = [
    Saturation(), BrightnessOffset(), LuminanceRange(), Tint(), Mix(), Over(),
  ]

  private static let styleSheets: [any Filter] = [
    CSSBlur(), CSSBrightness(), CSSContrast(), CSSDropShadow(), CSSGrayscale(), CSSHueRotate(),
    CSSInvert(), CSSOpacity(), CSSSaturate(), CSSSepia(),
  ]

  private static let gpuImage: [any Filter] = [
    GPUImageGaussian(), GPUImageBox(), GPUImageBilateral(), GPUImageZoom(), GPUImageMotion(),
    GPUImageTiltShift(), GPUImageSelective(), GPUImagePosition(),
  ]

  /// The filter with this name in text form, its parameters at their defaults; `nil` where there is
  /// none.
  public static func filter(named name: String) -> (any Filter)? {
    filters.first { $0.name == name }
  }

  /// The styles of `--style`: looks with a blur of their own.
  public static var styles: [any Filter] {
    filters.filter { $0 is any Style }
  }
}

extension Catalog {
  /// The page docs/use/filters.md: every filter with an example, its image and its parameters.
  ///
  /// Images are beside the page, in `filters/NAME.webp`; `make filters` makes page and images.
  package static var page: String {
    let infos = filters.map { $0.info }
    let links = infos.map { "[\($0.name)](#\($0.name))" }.joined(separator: " · ")
    let head = """
      # Filters

      All \(infos.count) filters on the same photograph: materials as a pane over it, vibrancy on \
      words, a shadow below a cutout. [filter-text.md](filter-text.md) says how to write and combine \
      them, [filter-definitions.md](../contribute/filter-definitions.md) what each computes:

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

extension Catalog {
  /// All filters with their parameters as a JSON array, as listings show them.
  package static var json: String { JSONText.array(filters.map { $0.info.json }) }
}

extension FilterInfo {
  /// The row as a JSON object.
  package var json: String {
    JSONText.object([
      ("name", JSONText.string(name)), ("summary", JSONText.string(summary)),
      ("parameters", JSONText.array(parameters.map(\.json))),
      ("example", JSONText.string(example)),
      ("isStyle", "\(Catalog.styles.contains { $0.name == name })"),
    ])
  }
}

extension FilterInfo.Parameter {
  fileprivate var json: String {
    var members = [
      ("name", JSONText.string(name)), ("kind", JSONText.string(kind.word)),
      ("units", JSONText.array(kind.units.map { JSONText.string($0) })),
      ("default", defaultText.map { JSONText.string($0) } ?? "null"),
      ("help", JSONText.string(help)),
    ]
    if let limits = kind.limits {
      members.append(("minimum", JSONText.string(limits.low)))
      if let high = limits.high { members.append(("maximum", JSONText.string(high))) }
    }
    if case .choice(let words) = kind {
      members.append(("choices", JSONText.array(words.map { JSONText.string($0) })))
    }
    return JSONText.object(members)
  }
}
