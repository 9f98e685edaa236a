internal import FrostglassBench
internal import Frostglass
internal import FrostglassCore
internal import FrostglassOptions

/// The options of `frostglass bench`.
struct BenchOptions {
  static let table: [Option] = measured + RegionOptions.table

  private static let measured: [Option] = [
    Option("size", value: "WxH,…", "Frame sizes (3840x2160,1920x1080)"),
    Option(
      "sigma", value: "A,B,…",
      "Standard deviations in pixels (2,5,10,20,50,100)",
      details: "A tool's own number is accepted, such as pillow:10."),
    Option("filter", value: "TEXT;…", "Filters to measure instead of the sigmas"),
    Option("backend", value: "B,…", "gl, fast, reference, or auto as for blur (auto)"),
    .device, .gpuMemory,
    Option("threads", value: "N", "Threads of the fast backend and the copy (one per core)"),
    Option("format", value: "F", "Samples: \(formatNames.joined(separator: ", ")) (rgba8)"),
    Option("alpha", value: "A", "premultiplied or straight, where there is alpha (premultiplied)"),
    Option("quality", value: "Q", "Error: exact 1/255, fast 2/255, exact16 1/65535 (exact)"),
    Option("linear", "Compute in linear light"),
    Option(
      "planes", value: "F,…",
      "Frames in planes instead, on the fast backend: \(planeNames.joined(separator: ", "))"),
    Option("redact", "Redact the region before the filters (with --planes)"),
    Option("runs", value: "N", "Rounds per row (9 or more, for 1 to 10 seconds)"),
    Option("soak", value: "N", "Run N mixed jobs and print the memory still in use"),
    Option("responsiveness", "Measure delays of other tasks and of cancellation"),
    Option(
      "frame", value: "FILE", "Blur the raw samples of FILE instead of the texture",
      details: "Rows follow each other without padding."),
    .json,
    Option("interactive", "Answer requests from standard input, one per line"),
  ]

  /// The options that mixed jobs take.
  private static let ofSoak: Set = ["backend", "device", "gpu-memory", "threads", "soak"]
  /// The options that a measurement of responsiveness takes.
  private static let ofResponsiveness: Set = [
    "responsiveness", "size", "filter", "backend", "device", "gpu-memory", "threads", "json",
  ]
  private static let formatNames = PixelFormat.all.map { "\($0)" }
  private static let planeFormats: [(name: String, format: YCbCrFormat)] =
    [("420", .both), ("422", .columns), ("444", .none)].flatMap {
      (name, sampling: YCbCrFormat.Sampling) in
      YCbCrFormat.Bits.allCases.map { bits in
        (
          bits == .eight ? name : "\(name)p\(bits.rawValue)",
          YCbCrFormat(sampling: sampling, bits: bits)
        )
      }
    }
  private static let planeNames = planeFormats.map(\.name)
  private static let alphaModes = [
    ("premultiplied", AlphaMode.premultiplied), ("straight", .straight),
  ]

  let sizes: [Size]
  /// Each group is measured in turn: a sigma alone, filters together.
  let groups: [[BenchSubject]]
  let backends: [BackendChoice]
  /// The use and choice of GPUs.
  let setup: BackendOptions
  let threads: Int?
  let format: PixelFormat
  let alpha: AlphaMode
  let planning: PlanOptions
  let length: BenchLength
  let frame: String?
  let json: Bool
  /// Mixed jobs to run instead of measuring.
  let soak: Int?
  let interactive: Bool
  /// True if the delays of other tasks during blurs are measured instead.
  let responsiveness: Bool
  /// Frames in planes to measure instead of others.
  let planes: [YCbCrFormat]?

  init(_ arguments: ParsedArguments) throws(Failure) {
    guard arguments.operands.isEmpty else {
      throw .usage("bench takes options only; see `frostglass bench --help`")
    }
    responsiveness = arguments.has("responsiveness")
    sizes = try Self.sizes(arguments, default: responsiveness ? [Self.photograph] : Self.screens)
    groups = try Self.groups(arguments, everyFilter: responsiveness)
    setup = try arguments.gpuOptions()
    backends = try Self.backends(arguments) ?? [setup.devices == nil ? .auto : .gl]
    if setup.devices != nil, !backends.contains(.gl) { throw arguments.wrongBackend }
    threads = try arguments.integer("threads", in: 1...1024)
    format = try Self.format(arguments)
    alpha = try Self.alpha(arguments, format)
    var mask = try RegionOptions(arguments)?.mask
    if arguments.has("redact") {
      guard mask != nil, arguments.has("planes") else {
        throw .usage("--redact needs --planes and --region, --regions or --mask")
      }
      mask?.redaction = Redaction()
    }
    planning = PlanOptions(
      quality: try arguments.choice("quality", default: .exact),
      linearLight: arguments.has("linear"), mask: mask)
    length = try arguments.integer("runs", in: 1...1_000_000).map { .rounds($0) } ?? .automatic
    frame = arguments.values["frame"]
    json = arguments.has("json")
    soak = try arguments.integer("soak", in: 1...1_000_000_000)
    interactive = arguments.has("interactive")
    let accepted = "one or more of \(Self.planeNames.joined(separator: ", "))"
    planes = try arguments.list("planes", accepted: accepted) { word in
      Self.planeFormats.first { $0.name == word }?.format
    }
    try checkTogether(arguments)
  }

  /// Options that exclude or need each other.
  private func checkTogether(_ arguments: ParsedArguments) throws(Failure) {
    if frame != nil && (arguments.values["size"] == nil || sizes.count > 1) {
      throw .usage("--frame needs its size: --size WxH")
    }
    if arguments.has("filter") && arguments.has("sigma") {
      throw .usage(
        "--sigma and --filter exclude each other; write gaussian(20px) in the filter text")
    }
    if planes != nil {
      for name in ["backend", "format", "alpha", "interactive", "frame", "soak"]
      where arguments.has(name) {
        throw .usage("--planes and --\(name) exclude each other")
      }
    }
    if soak != nil {
      let names = Self.table.map(\.name).filter { !Self.ofSoak.contains($0) }
      for name in names where arguments.has(name) {
        throw .usage("--soak and --\(name) exclude each other: its jobs are of all kinds")
      }
      guard backends.count == 1 else { throw .usage("--soak takes one --backend") }
    }
    if responsiveness {
      for option in Self.table
      where arguments.has(option.name) && !Self.ofResponsiveness.contains(option.name) {
        throw .usage("--responsiveness and --\(option.name) exclude each other")
      }
      guard sizes.count == 1, backends.count == 1 else {
        throw .usage("--responsiveness takes one --size and one --backend")
      }
    }
    guard interactive else { return }
    for name in ["sigma", "filter", "runs"] where arguments.has(name) {
      throw .usage("--interactive and --\(name) exclude each other: the requests decide")
    }
    guard arguments.values["size"] != nil, sizes.count == 1, backends.count == 1 else {
      throw .usage("--interactive needs one --size and takes one --backend")
    }
  }

  private static let screens = [Size(width: 3840, height: 2160), Size(width: 1920, height: 1080)]
  private static let photograph = Size(width: 6000, height: 4000)

  private static func sizes(
    _ arguments: ParsedArguments, default usual: [Size]
  ) throws(Failure) -> [Size] {
    let accepted = "WxH, such as 1920x1080, of at most \(largestSide) per side and 500 megapixels"
    let sizes = try arguments.list("size", accepted: accepted) { word in
      let sides = word.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
      guard sides.count == 2, let width = sides[0], let height = sides[1] else { return Size?.none }
      let range = 1...largestSide
      guard range.contains(width), range.contains(height) else { return nil }
      let size = Size(width: width, height: height)
      return size.area <= DecodeOptions().maxPixels ? size : nil
    }
    return sizes ?? usual
  }

  private static let largestSide = 1_000_000

  private static func sigmas(_ arguments: ParsedArguments) throws(Failure) -> [Double] {
    let accepted = "numbers from 0 to 1000 or tools' numbers such as pillow:10, separated by commas"
    let sigmas = try arguments.list("sigma", accepted: accepted) { word in
      // Frames are of several sizes, so there are no percentages.
      Sigma(text: word).flatMap { $0.unit == .percent ? nil : $0.value }
    }
    return sigmas ?? [2, 5, 10, 20, 50, 100]
  }

  private static func groups(
    _ arguments: ParsedArguments, everyFilter: Bool
  ) throws(Failure) -> [[BenchSubject]] {
    guard let text = arguments.values["filter"] else {
      guard everyFilter else { return try sigmas(arguments).map { [.sigma($0)] } }
      return [
        Catalog.filters.map { .filters(FilterChain($0), text: $0.info.name) }.filter {
          !$0.chain.filters.isEmpty
        }
      ]
    }
    var subjects: [BenchSubject] = []
    for part in text.split(separator: ";", omittingEmptySubsequences: false) {
      let words = part.split(separator: " ").joined(separator: " ")
      subjects.append(.filters(try arguments.filters(words), text: words))
    }
    return [subjects]
  }

  private static func backends(_ arguments: ParsedArguments) throws(Failure) -> [BackendChoice]? {
    let words = BackendChoice.allCases.map(\.rawValue)
    let accepted = "one or more of \(words.joined(separator: ", "))"
    return try arguments.list("backend", accepted: accepted) {
      BackendChoice(rawValue: $0.lowercased())
    }
  }

  private static func format(_ arguments: ParsedArguments) throws(Failure) -> PixelFormat {
    guard let text = arguments.values["format"] else { return .rgba8 }
    guard let format = PixelFormat.all.first(where: { "\($0)" == text.lowercased() }) else {
      throw .usage(
        "--format is \(text); it must be one of \(formatNames.joined(separator: ", "))"
          + DidYouMean.hint(for: text, in: formatNames))
    }
    return format
  }

  private static func alpha(
    _ arguments: ParsedArguments, _ format: PixelFormat
  ) throws(Failure) -> AlphaMode {
    guard let text = arguments.values["alpha"] else {
      return format.layout.hasAlpha ? .premultiplied : .opaque
    }
    guard format.layout.hasAlpha else { throw .usage("--alpha is \(text); \(format) has no alpha") }
    guard let mode = alphaModes.first(where: { $0.0 == text.lowercased() })?.1 else {
      throw .usage("--alpha is \(text); it must be one of premultiplied, straight")
    }
    return mode
  }
}
