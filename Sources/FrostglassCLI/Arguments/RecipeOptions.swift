internal import Frostglass

/// The options that say what is done to a picture; `blur`, `plan` and `compare` share them.
struct RecipeOptions {
  static let table: [Option] =
    [
      Option(
        "sigma", value: "N|N%|TOOL:N",
        "Blur: standard deviation in pixels, % of the shorter side, or a tool's number: pillow:10"),
      Option("style", value: "NAME", "Look: " + styleNames.joined(separator: ", ")),
      Option(
        "filter", value: "TEXT",
        "Filters, such as \"blur(20px) saturate(180%)\", or a CSS declaration: \"filter: …\""),
      Option("preset", value: "FILE", "Filters and options that --save-preset has written"),
      Option("scale", value: "N", "Pixels per point for styles (1)"),
      Option(
        "edge", value: "MODE", "Beyond the border: clamp, mirror, wrap or transparent (clamp)"),
      Option("quality", value: "Q", "exact: within 1 level of 255; fast: within 2 (exact)"),
      Option("linear", "Work in linear light"),
      .background, .maxPixels, .memory, .profile, .frame,
    ] + RegionOptions.table

  private static var styleNames: [String] { Catalog.styles.map { $0.info.name } }

  var recipe: Recipe
  var decoding: DecodeOptions
  /// The recipe with the name of the preset that it comes from, if it does.
  var preset: Preset
  /// Where the recipe acts; `nil` is everywhere.
  var mask: RegionOptions?

  init(_ arguments: ParsedArguments) throws(Failure) {
    preset = try Self.preset(arguments)
    let given = preset.options
    preset.options = PlanOptions(
      edge: try arguments.choice("edge", default: given.edge),
      quality: try arguments.choice("quality", default: given.quality),
      linearLight: arguments.has("linear") || given.linearLight,
      scale: try arguments.number("scale", in: 0.001...1000) ?? given.scale)
    mask = try RegionOptions(arguments)
    var options = preset.options
    options.mask = mask?.mask
    recipe = Recipe(
      preset.chain, options: options, background: try arguments.background())
    decoding = try arguments.decoding()
  }

  /// A further output of the same picture; `--also`.
  static let also = Option(
    "also", value: "\"FILTERS -> FILE\"",
    "Another output of the same picture, decoded once; more than once")

  /// What is asked for with `--also`: other filters, everything else alike.
  func further(
    _ arguments: ParsedArguments, _ encoding: EncodeOptions, overwrite: Bool
  ) throws(Failure) -> [Job.Output] {
    try (arguments.repeated["also"] ?? []).map { text throws(Failure) in
      guard let arrow = text.ranges(of: "->").last else {
        throw .usage(
          "--also is \(text); it must be filters, an arrow and a file: \"blur(8px) -> small.webp\"")
      }
      let file = text[arrow.upperBound...].trimmed
      guard !file.isEmpty else { throw .usage("--also is \(text); a file's name must follow ->") }
      var recipe = recipe
      let filters = text[..<arrow.lowerBound].trimmed
      recipe.chain = filters.isEmpty ? [] : try FilterChain(argument: filters)
      return Job.Output(
        recipe, to: StillSink(operand: file, overwrite: overwrite), encoding: encoding)
    }
  }

  /// What `--preset` names, or the chain of the other options.
  private static func preset(_ arguments: ParsedArguments) throws(Failure) -> Preset {
    guard let path = arguments.values["preset"] else { return Preset(try chain(arguments)) }
    for option in ["sigma", "style", "filter"] where arguments.has(option) {
      throw .usage("--preset and --\(option) exclude each other; the preset has its own filters")
    }
    do throws(PresetError) { return try Preset(file: path) } catch {
      throw Failure(message: "\(error)", exitCode: error.exitCode)
    }
  }

  private static func chain(_ arguments: ParsedArguments) throws(Failure) -> FilterChain {
    let sigma = try sigma(arguments)
    switch (arguments.values["style"], arguments.values["filter"]) {
    case (_?, _?):
      throw .usage("--style and --filter exclude each other; a style is also a filter: dark()")
    case (let name?, nil):
      return FilterChain([try style(name, sigma: sigma)])
    case (nil, let text?):
      guard sigma == nil else {
        throw .usage("--sigma and --filter exclude each other; write blur(20px) in the filter text")
      }
      return try FilterChain(argument: text)
    case (nil, nil):
      guard let sigma else {
        throw .usage(
          "nothing to do: give one of --sigma N, --style NAME, --filter \"TEXT\" or --preset FILE")
      }
      return [.gaussian(sigma: sigma)]
    }
  }

  private static func sigma(_ arguments: ParsedArguments) throws(Failure) -> Sigma? {
    guard let text = arguments.values["sigma"] else { return nil }
    guard let sigma = Sigma(text: text) else {
      guard !text.contains(":") else {
        throw .usage(
          "--sigma is \(text); other tools' numbers are written "
            + BlurTool.allCases.map(\.usage).joined(separator: ", "))
      }
      throw .usage(
        "--sigma is \(text); it must be from 0 to 1000 pixels, or from 0% to 100% of the "
          + "shorter side, or a tool's number such as pillow:10")
    }
    return sigma
  }

  private static func style(_ name: String, sigma: Sigma?) throws(Failure) -> any Style {
    guard let type = Catalog.filter(named: name) as? any Style.Type else {
      throw .usage(
        "there is no style \(name)\(DidYouMean.hint(for: name, in: styleNames)); styles are "
          + styleNames.joined(separator: ", "))
    }
    var style = type.init()
    if let sigma { style.sigma = sigma }
    return style
  }
}

/// What `--save-preset` asks for: the recipe of this command line in a file.
struct PresetSaving {
  static let options: [Option] = [
    Option("save-preset", value: "FILE", "Write filters and their options to FILE, for --preset"),
    Option("preset-name", value: "TEXT", "What the saved preset is called"),
    Option("preset-description", value: "TEXT", "What the saved preset is good for"),
  ]

  private let preset: Preset
  private let path: String
  private let overwrite: Bool

  /// - Parameter preset: what there is to save.
  /// - Returns: `nil` where nothing is to be saved.
  init?(_ arguments: ParsedArguments, _ preset: Preset) throws(Failure) {
    guard let path = try arguments.sideFile("save-preset") else {
      for option in ["preset-name", "preset-description"] where arguments.has(option) {
        throw .usage("--\(option) is for a preset that is saved; it needs --save-preset FILE")
      }
      return nil
    }
    self.path = path
    overwrite = arguments.has("overwrite")
    var named = preset
    if let name = arguments.values["preset-name"] { named.name = name }
    if let text = arguments.values["preset-description"] { named.description = text }
    self.preset = named
  }

  /// Finds what can be found of trouble before any work is done.
  func check() throws(Failure) {
    try mapped { () throws(EncodeError) in
      try StillSink.file(path, overwrite: overwrite).preflight()
    }
  }

  func save() throws(Failure) {
    try mapped { () throws(EncodeError) in try preset.write(to: path, overwrite: overwrite) }
  }

  private func mapped(_ body: () throws(EncodeError) -> Void) throws(Failure) {
    do throws(EncodeError) { try body() } catch { throw FrostglassError.encode(error).failure }
  }
}

extension Substring {
  /// Without spaces around it.
  fileprivate var trimmed: String {
    let start = drop(while: \.isWhitespace)
    return String(start.dropLast(start.reversed().prefix(while: \.isWhitespace).count))
  }
}
