package import Frostglass

/// The options that say what is done to a picture; `blur`, `plan` and `compare` share them.
package struct RecipeOptions {
  /// Their rows.
  package static let table: [Option] =
    [
      Option(
        "sigma", letter: "s", value: "N|N%|TOOL:N",
        "Blur: standard deviation in pixels, % of the shorter side, or a tool's number: pillow:10"),
      Option(
        "style", value: "NAME", "Look: " + styleNames.joined(separator: ", "), choices: styleNames),
      Option(
        "filter", value: "TEXT",
        "Filters, such as \"blur(20px) saturate(180%)\", or a CSS declaration: \"filter: …\""),
      Option("preset", value: "FILE", "Filters and options that --save-preset has written"),
      Option(
        "intensity", value: "0…1|N%", "Of a style: 0 is nothing, 1 is the full look (1)"),
      Option("scale", value: "N", "Pixels per point for styles (1)"),
      Option(
        "edge", value: "MODE", "Beyond the border: clamp, mirror, wrap or transparent (clamp)",
        choices: EdgeMode.allCases.map(\.rawValue)),
      Option(
        "quality", value: "Q", "exact: within 1 level of 255; fast: within 2 (exact)",
        choices: PlanOptions.Quality.allCases.map(\.rawValue)),
      Option("linear", "Work in linear light"),
      .background, .maxPixels, .memory, .profile, .frame,
    ].grouped(.effect) + RegionOptions.table.grouped(.place)

  private static var styleNames: [String] { Catalog.styles.map(\.name) }

  /// What is done, everywhere or where the mask says.
  package var recipe: Recipe
  /// How the picture is read.
  package var decoding: DecodeOptions
  /// Where the recipe acts; `nil` is everywhere.
  package var mask: RegionOptions?
  /// What `--preset` names.
  private let given: Preset?

  /// The recipe with the name of the preset that it comes from, if it does.
  package var preset: Preset {
    var preset = given ?? Preset(recipe.chain)
    preset.options = recipe.options
    preset.options.mask = nil
    return preset
  }

  /// Reads them, and the files that they name.
  package init(_ arguments: ParsedArguments) throws(Failure) {
    given = try Self.preset(arguments)
    let chain = if let given { given.chain } else { try Self.chain(arguments) }
    let usual = given?.options ?? PlanOptions()
    var options = PlanOptions(
      edge: try arguments.choice("edge", default: usual.edge),
      quality: try arguments.choice("quality", default: usual.quality),
      linearLight: arguments.has("linear") || usual.linearLight,
      scale: try arguments.number("scale", in: 0.001...1000) ?? usual.scale)
    mask = try RegionOptions(arguments)
    options.mask = mask?.mask
    recipe = Recipe(chain, options: options, background: try arguments.background())
    decoding = try arguments.decoding()
  }

  private static func preset(_ arguments: ParsedArguments) throws(Failure) -> Preset? {
    guard let path = arguments.values["preset"] else { return nil }
    for option in ["sigma", "style", "filter", "intensity"] where arguments.has(option) {
      throw .usage("--preset and --\(option) exclude each other; the preset has its own filters")
    }
    return try arguments.files.preset(path)
  }

  private static func chain(_ arguments: ParsedArguments) throws(Failure) -> FilterChain {
    let sigma = try arguments.sigma("sigma")
    if arguments.has("intensity"), !arguments.has("style") {
      throw .usage("--intensity is that of a style; it needs --style NAME")
    }
    switch (arguments.values["style"], arguments.values["filter"]) {
    case (_?, _?):
      throw .usage("--style and --filter exclude each other; a style is also a filter: dark()")
    case (let name?, nil):
      return FilterChain(try style(name, sigma: sigma, intensity: try intensity(arguments)))
    case (nil, let text?):
      guard sigma == nil else {
        throw .usage("--sigma and --filter exclude each other; write blur(20px) in the filter text")
      }
      return try arguments.filters(text)
    case (nil, nil):
      guard let sigma else {
        throw .usage(
          "nothing to do: give one of --sigma N, --style NAME, --filter \"TEXT\" or --preset FILE")
      }
      return [.gaussian(sigma: sigma)]
    }
  }

  private static func intensity(_ arguments: ParsedArguments) throws(Failure) -> Double? {
    guard let text = arguments.values["intensity"] else { return nil }
    let isPercent = text.hasSuffix("%")
    guard let number = Double(isPercent ? String(text.dropLast()) : text),
      case let intensity = isPercent ? number / 100 : number, (0...1).contains(intensity)
    else { throw .usage("--intensity is \(text); it must be 0 to 1, or 0% to 100%") }
    return intensity
  }

  private static func style(
    _ name: String, sigma: Sigma?, intensity: Double?
  ) throws(Failure) -> any Style {
    guard var style = Catalog.filter(named: name) as? any Style else {
      throw .usage(
        "there is no style \(name)\(DidYouMean.hint(for: name, in: styleNames)); styles are "
          + styleNames.joined(separator: ", "))
    }
    if let sigma { style.sigma = sigma }
    if let intensity { style.intensity = intensity }
    return style
  }
}
