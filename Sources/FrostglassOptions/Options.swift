package import Frostglass
package import FrostglassCore
package import FrostglassStills

/// One thing that one can ask for: the row that parsing, help, error texts, and the service's
/// description read.
package struct Option: Sendable {
  /// Without the hyphens of a command line.
  package var name: String
  /// A single letter for command lines, if there is one.
  package var letter: Character?
  /// The placeholder for the value in help; `nil` for a switch.
  package var value: String?
  private let helpText: @Sendable () -> String
  /// Text that the manual page adds to the help.
  package var details: String
  private let words: @Sendable () -> [String]
  /// True if it is a switch that accepts `on` or `off` as its value.
  package var canBeOff = false
  /// True if the option is repeatable.
  package var canRepeat = false
  /// Under which heading help lists it.
  package var group = Group.other

  /// The headings of help, in order.
  package enum Group: String, Sendable, CaseIterable {
    case effect = "Effect"
    case place = "Regions"
    case size = "Size"
    case reading = "Input"
    case writing = "Output"
    case presets = "Presets"
    case batch = "Batches"
    case running = "Running"
    case other = "Other"
  }

  /// - Parameters:
  ///   - help: put together where help is shown, as `choices` where a shell completes them: parsing needs
  ///     neither, and some name every filter.
  package init(
    _ name: String, letter: Character? = nil, value: String? = nil,
    _ help: @autoclosure @escaping @Sendable () -> String, details: String = "",
    choices: @autoclosure @escaping @Sendable () -> [String] = []
  ) {
    self.name = name
    self.letter = letter
    self.value = value
    helpText = help
    self.details = details
    words = choices
  }

  package var help: String { helpText() }
  /// The help and the details.
  package var manual: String { details.isEmpty ? help : "\(help). \(details)" }
  /// The words that the value may be, for shells that complete them; empty where it is anything else.
  package var choices: [String] { words() }
}

extension [Option] {
  /// Returns the options, with this heading for those that have none yet.
  package func grouped(_ group: Option.Group) -> [Option] {
    map { $0.group == .other ? $0.grouped(group) : $0 }
  }
}

/// Options that several operations share.
extension Option {
  package static let backend = Option(
    "backend", value: "B", "auto, gl, fast or reference (auto)",
    choices: BackendChoice.allCases.map(\.rawValue)
  ).grouped(.running)
  package static let device = Option(
    "device", value: "D", "GPUs by number or name: 0, nvidia, 0,1 or all",
    details: "Implies the GL backend. `frostglass doctor` lists GPUs."
  ).grouped(.running)
  package static let gpuMemory = Option(
    "gpu-memory", value: "SIZE", "GPU memory limit, such as 512M",
    details: "Larger images are processed in parts."
  ).grouped(.running)
  package static let background = Option(
    "background", value: "COLOR", "Background where the format has no alpha (white)"
  ).grouped(.writing)
  package static let format = Option(
    "format", value: "EXT", "Output format (by the extension)",
    choices: StillFormat.allCases.map(\.rawValue)
  ).grouped(.writing)
  package static let frame = Option(
    "frame", value: "N", "Use one frame of an animation, counted from 1"
  ).grouped(.reading)
  package static let maxPixels = Option(
    "max-pixels", value: "N", "Refuse inputs with more pixels (500000000)"
  ).grouped(.reading)
  package static let memory = Option(
    "memory", value: "SIZE",
    "Memory limit, such as 2G (half of the machine's)",
    details: "Work that would take more is refused before it begins."
  ).grouped(.reading)
  package static let outputQuality = Option(
    "output-quality", value: "1…100", "Quality of lossy formats"
  ).grouped(.writing)
  package static let effort = Option(
    "effort", value: "0…9", "Compression effort: 0 is fast, 9 makes small files"
  ).grouped(.writing)
  package static let overwrite = Option("overwrite", "Replace existing outputs").grouped(.writing)
  package static let profile = Option(
    "profile", value: "P", "srgb converts colors; keep keeps the profile (srgb)",
    choices: ["srgb", "keep"]
  ).grouped(.reading)
  package static let strip = Option("strip", "Remove metadata").grouped(.writing)

  /// The option as a switch that accepts `on` or `off`, as something else may have turned it on.
  package var thatCanBeOff: Option {
    var option = self
    option.canBeOff = true
    return option
  }

  /// The option as one that a request may have several times.
  package var thatCanRepeat: Option {
    var option = self
    option.canRepeat = true
    return option
  }

  /// Returns the option under a heading.
  package func grouped(_ group: Group) -> Option {
    var option = self
    option.group = group
    return option
  }
}

/// The options and operands of a command line or of a request's fields.
///
/// Messages spell options as a command line does, `--sigma`.
package struct ParsedArguments {
  /// The arguments that are not options, in order.
  package var operands: [String] = []
  /// Values by option name; switches have an empty one.
  package var values: [String: String] = [:]
  /// The values of options that are given several times, in order.
  package var repeated: [String: [String]] = [:]
  /// The reader of values that name files.
  package let files: any OptionFiles

  package init(files: any OptionFiles) { self.files = files }

  /// Takes one option more.
  package mutating func add(_ name: String, _ value: String) {
    values[name] = value
    repeated[name, default: []].append(value)
  }

  /// Returns true if an option is given.
  package func has(_ name: String) -> Bool { values[name] != nil }

  /// The value of an option that takes one of a few words.
  ///
  /// - Parameter others: words that the option takes too, for the message.
  package func choice<Choice>(
    _ name: String, default value: Choice, beside others: [String] = []
  ) throws(Failure) -> Choice
  where Choice: RawRepresentable<String> & CaseIterable {
    guard let text = values[name] else { return value }
    guard let choice = Choice(rawValue: text.lowercased()) else {
      let words = Choice.allCases.map(\.rawValue) + others
      throw .usage(
        "--\(name) is \(text); it must be one of \(words.joined(separator: ", "))"
          + DidYouMean.hint(for: text, in: words))
    }
    return choice
  }

  /// The value of an option that takes a whole number.
  package func integer(_ name: String, in range: ClosedRange<Int>) throws(Failure) -> Int? {
    guard let text = values[name] else { return nil }
    guard let number = Int(text), range.contains(number) else {
      let accepted =
        range.upperBound == .max
        ? "a whole number, \(range.lowerBound) or more"
        : "a whole number from \(range.lowerBound) to \(range.upperBound)"
      throw .usage("--\(name) is \(text); it must be \(accepted)")
    }
    return number
  }

  /// The value of an option that takes a number.
  package func number(_ name: String, in range: ClosedRange<Double>) throws(Failure) -> Double? {
    guard let text = values[name] else { return nil }
    guard let number = Double(text), range.contains(number) else {
      throw .usage(
        "--\(name) is \(text); it must be a number from \(range.lowerBound) to "
          + "\(range.upperBound)")
    }
    return number
  }

  /// The value of an option that takes an amount of memory, in bytes.
  package func bytes(_ name: String) throws(Failure) -> Int? {
    guard let text = values[name] else { return nil }
    guard let size = ByteCount(text: text) else {
      throw .usage("--\(name) is \(text); it must be a number of bytes, or one with K, M, G or T")
    }
    return size.bytes
  }

  /// The value of an option that takes a standard deviation.
  package func sigma(_ name: String) throws(Failure) -> Sigma? {
    guard let text = values[name] else { return nil }
    guard let sigma = Sigma(text: text) else {
      throw .usage(
        text.contains(":")
          ? "--\(name) is \(text); other tools' numbers are written "
            + BlurTool.allCases.map(\.usage).joined(separator: ", ")
          : "--\(name) is \(text); it must be from 0 to 1000 pixels, or from 0% to 100% of the "
            + "shorter side, or a tool's number such as pillow:10")
    }
    return sigma
  }

  /// The value of an option that takes an opaque color.
  ///
  /// - Parameter example: a color's name, for the message.
  package func opaqueColor(
    _ name: String, default value: Color, named example: String
  ) throws(Failure) -> Color {
    guard let text = values[name] else { return value }
    guard let color = Color(text: text), color.alpha == 1 else {
      throw .usage(
        "--\(name) is \(text); it must be an opaque CSS color, such as \(example) or #1c1c1e"
          + Color.hint(for: text))
    }
    return color
  }
}

/// Reads the files that options name.
package protocol OptionFiles: Sendable {
  /// Returns the preset that `preset` names.
  func preset(_ value: String) throws(Failure) -> Preset

  /// Returns the regions that `regions` names.
  ///
  /// - Parameter format: the format; `nil` detects it.
  func regions(_ value: String, _ format: RegionsFormat?) throws(Failure) -> RegionsFile

  /// Returns the mask that `mask` names.
  ///
  /// - Parameters:
  ///   - maxPixels: the number of pixels above which it is refused.
  ///   - maxMemory: the number of bytes above which it is refused; `nil` is the default.
  func mask(
    _ value: String, _ channel: MaskChannel, maxPixels: Int, maxMemory: Int?
  ) throws(Failure) -> MaskImage
}

/// Options about reading and writing that several operations share.
extension ParsedArguments {
  /// The value of `background`.
  package func background() throws(Failure) -> Color {
    try opaqueColor("background", default: .white, named: "white")
  }

  /// Returns the options of `max-pixels`, `memory`, `profile`, `frame` and those for another size.
  package func decoding() throws(Failure) -> DecodeOptions {
    DecodeOptions(
      maxPixels: try integer("max-pixels", in: 1...(.max)) ?? DecodeOptions().maxPixels,
      maxMemory: try bytes("memory"), profile: try profile(),
      frame: try integer("frame", in: 1...(.max)), resize: try Resize(self))
  }

  private func profile() throws(Failure) -> DecodeOptions.Profile {
    switch values["profile"] {
    case nil, "srgb": return .srgb
    case "keep": return .keep
    case let other?: throw .usage("--profile is \(other); it must be srgb or keep")
    }
  }

  /// The value of `format`; `nil` where it is not given.
  package func outputFormat() throws(Failure) -> StillFormat? {
    guard let text = values["format"] else { return nil }
    do { return try StillFormat.toWrite(path: "output.\(text)") } catch {
      throw Failure(FrostglassError.encode(error))
    }
  }

  /// Returns the options of `output-quality`, `lossless` and `effort`.
  ///
  /// - Parameter strip: true leaves metadata out; `nil` goes by `strip`.
  package func encoding(strip: Bool? = nil) throws(Failure) -> EncodeOptions {
    EncodeOptions(
      quality: try integer("output-quality", in: 1...100), strip: strip ?? has("strip"),
      lossless: has("lossless"), effort: try integer("effort", in: 0...9))
  }

  /// Reads the filters that an option names.
  package func filters(_ text: String) throws(Failure) -> FilterChain {
    do { return try FilterChain(text: text) } catch {
      throw Failure(FrostglassError.text(error))
    }
  }
}

extension StillSink {
  /// The name of the output in messages.
  package var name: String {
    switch self {
    case .file(let path, _): path
    case .standardOutput: "standard output"
    case .memory: "memory"
    }
  }
}

/// The options that say what is done to an image; `blur`, `plan` and `compare` share them.
package struct RecipeOptions {
  /// Their rows.
  package static let table: [Option] =
    [
      Option(
        "sigma", letter: "s", value: "N|N%|TOOL:N",
        "Blur with this standard deviation, in pixels or %",
        details:
          "Percentages are of the shorter side. A tool's own number is accepted, such as pillow:10."
      ),
      Option(
        "style", value: "NAME", "Look: " + styleNames.joined(separator: ", "), choices: styleNames),
      Option(
        "filter", value: "TEXT",
        "Filters, such as \"blur(20px) saturate(180%)\"",
        details: "A CSS declaration is accepted, too: \"filter: …\"."),
      Option("preset", value: "FILE", "Use filters and options saved by --save-preset"),
      Option(
        "intensity", value: "0…1|N%", "Strength of a style, 0 (none) to 1 (full) (1)"),
      Option("scale", value: "N", "Pixels per point for styles (1)"),
      Option(
        "edge", value: "MODE", "clamp, mirror, reflect-101, wrap, transparent (clamp)",
        choices: EdgeMode.allCases.map(\.rawValue)),
      Option(
        "quality", value: "Q", "Error: exact 1/255, fast 2/255, exact16 2/65535 (exact)",
        choices: PlanOptions.Quality.allCases.map(\.rawValue)),
      Option("linear", "Compute in linear light"),
      .background, .maxPixels, .memory, .profile, .frame,
    ].grouped(.effect) + RegionOptions.table.grouped(.place)

  private static var styleNames: [String] { Catalog.styles.map(\.name) }

  /// The filters and their options, with the mask if there is one.
  package var recipe: Recipe
  /// The options for decoding the image.
  package var decoding: DecodeOptions
  /// The regions where the recipe acts; `nil` is everywhere.
  package var mask: RegionOptions?
  /// The preset that `--preset` names.
  private let given: Preset?

  /// Refuses filters that do not hide what a search finds, see `CoverCheck`.
  package func demandCover() throws(Failure) {
    try CoverCheck.demand(recipe.chain, recipe.options)
  }

  /// The recipe with the name of the preset that it comes from, if it does.
  package var preset: Preset {
    var preset = given ?? Preset(recipe.chain)
    preset.options = recipe.options
    preset.options.mask = nil
    return preset
  }

  private static func quality(
    _ arguments: ParsedArguments
  ) throws(Failure) -> PlanOptions.Quality? {
    guard let text = arguments.values["quality"] else { return nil }
    // Elsewhere the word is for what files lose.
    guard Double(text) == nil else {
      throw .usage(
        "--quality is \(text); it must be exact, fast or exact16; the quality of the file is --output-quality"
      )
    }
    return try arguments.choice("quality", default: .high)
  }

  /// Reads them, and the files that they name.
  package init(_ arguments: ParsedArguments) throws(Failure) {
    given = try Self.preset(arguments)
    var chain = if let given { given.chain } else { try Self.chain(arguments) }
    if let dpr = try arguments.dpr() { chain = chain.magnified(by: dpr) }
    let usual = given?.options ?? PlanOptions()
    var options = PlanOptions(
      edge: try arguments.choice("edge", default: usual.edge),
      quality: try Self.quality(arguments) ?? usual.quality,
      linearLight: arguments.has("linear") || usual.linearLight,
      scale: try arguments.scale() ?? usual.scale)
    mask = arguments.saysWhere ? try RegionOptions(arguments) : nil
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

extension ParsedArguments {
  /// True if an option is given that says where something acts.
  fileprivate var saysWhere: Bool {
    has("tracks") || has("find") || has("regions-from")
      || RegionOptions.table.contains { has($0.name) }
  }
}
