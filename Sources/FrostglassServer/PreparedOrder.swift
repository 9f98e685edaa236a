internal import Frostglass
internal import FrostglassCore
internal import FrostglassOptions
internal import FrostglassScenes
internal import FrostglassStills

/// An order whose fields are read as the options of the command are.
struct PreparedOrder {
  /// A destination of an audit.
  enum AuditPlace: String, CaseIterable { case header, part }

  let arguments: ParsedArguments
  let limits: WorkLimits
  private let parts: [String: [UInt8]]
  let deadline: ContinuousClock.Instant

  init(_ order: WorkOrder) {
    limits = order.limits
    parts = order.parts
    deadline = .now + .seconds(order.limits.seconds)
    var arguments = ParsedArguments(files: PartFiles(order))
    // Fields of the service alone are no options of the command.
    for field in order.fields where field.name != "audit" {
      // Omit switches that are off.
      if field.value == "false", Self.switches.contains(field.name) { continue }
      arguments.add(field.name, field.value)
    }
    // Files are values that name themselves.
    for name in ["mask", "regions"] where order.parts[name] != nil { arguments.add(name, name) }
    self.arguments = arguments
    audit = order.fields.last { $0.name == "audit" }?.value
  }

  private let audit: String?

  private static let switches = Set(
    Operation.allCases.flatMap(\.options).filter { $0.value == nil }.map(\.name))

  var picture: StillSource { .bytes(parts["picture"] ?? []) }

  /// The same within the order's limits.
  func limited(_ decoding: DecodeOptions) -> DecodeOptions {
    var decoding = decoding
    decoding.maxPixels = limits.maxPixels
    decoding.maxMemory = limits.maxMemory
    return decoding
  }

  /// Returns the audit's destination; `nil` if none was requested.
  func auditPlace() throws(Problem) -> AuditPlace? {
    guard let audit else { return nil }
    guard let place = AuditPlace(rawValue: audit) else {
      throw .badRequest("audit is \(audit.prefix(64)); it must be header or part")
    }
    return place
  }

  /// Properties of the image that will be decoded.
  struct Input {
    /// The upright size of a frame in the file.
    var size = Size(width: 1, height: 1)
    /// Pixels of all frames that are taken.
    var pixels = 0
    /// Frames that are taken.
    var frames = 1
    /// The file's format.
    var format = StillFormat.png
    /// Frames that the limit leaves out.
    var framesLeftOut = 0
  }

  /// A job on the image in memory.
  ///
  /// - Parameter redacts: true to decode and encode as a redaction does.
  /// - Returns: the job, its output, and its input's properties.
  func job(
    _ recipe: Recipe, redacts: Bool = false
  ) throws(Problem) -> (job: Job, output: EncodedFile, input: Input) {
    let (format, (decoding, encoding)) = try asked { () throws(Failure) in
      (
        try arguments.outputFormat(),
        redacts
          ? try arguments.redactionFiles()
          : (
            try arguments.decoding(), try arguments.encoding(strip: !arguments.has("keep-metadata"))
          )
      )
    }
    let output = EncodedFile()
    var job = Job(
      source: picture, recipe: recipe, sink: .memory(output), format: format,
      decoding: limited(decoding),
      encoding: encoding,
      deadline: deadline)
    var input = Input()
    do {
      let header = try StillDecoder(job.decoding).header(of: job.source)
      if header.frames > limits.maxFrames, job.decoding.frame == nil {
        job.decoding.frame = 1
        input.framesLeftOut = header.frames - 1
      }
      input.frames = job.decoding.frame == nil ? header.frames : 1
      input.size = header.fileSize
      input.pixels = header.fileSize.area * input.frames
      input.format = header.format
      if job.outputs[0].format == nil {
        // What few browsers show becomes what cameras of its kind write otherwise.
        let usual = header.format == .heic ? StillFormat.jpeg : header.format
        let isWritten = limits.formats?.contains(usual.fileExtension) ?? true
        let first = limits.formats?.first.flatMap { StillFormat(fileExtension: $0) }
        if !isWritten || usual != header.format {
          job.outputs[0].format = isWritten ? usual : first
        }
      }
    } catch { throw Problem(FrostglassError.decode(error)) }
    return (job, output, input)
  }

  /// Reads what a preset says as if a request said so, with what requests may bring along.
  ///
  /// - Throws: `Failure` for a value that its operation does not take.
  static func check(_ preset: ServicePreset) throws(Failure) {
    let said = Set(preset.fields.map(\.name))
    let brought: Field? =
      switch preset.operation {
      case .blur, .plan:
        said.isDisjoint(with: ServicePreset.effects) ? Field("sigma", "20") : nil
      case .redact: said.contains("region") ? nil : Field("region", "0,0,1,1")
      case .fill: said.isDisjoint(with: ["size", "aspect"]) ? Field("aspect", "1:1") : nil
      case .placeholder, .scene, .find: nil
      }
    let order = PreparedOrder(
      WorkOrder(
        preset.operation.rawValue, fields: preset.fields + (brought.map { [$0] } ?? [])))
    switch preset.operation {
    case .blur, .plan:
      let recipe = try RecipeOptions(order.arguments)
      if try order.search() != nil { try recipe.demandCover() }
    case .redact: _ = try order.redaction()
    case .fill: _ = try Letterbox(order.arguments)
    case .placeholder: _ = try Placeholder.Options(order.arguments)
    case .scene: break
    case .find: break
    }
    _ = try order.search(isAsked: preset.operation == .find)
    _ = try (order.arguments.outputFormat(), order.arguments.redactionFiles())
  }

  /// Returns the recipe, limited to the filters that the operator allows. A preset's fields are the operator's.
  func recipe() throws(Problem) -> RecipeOptions {
    let options = try asked { () throws(Failure) in try RecipeOptions(arguments) }
    if let mask = options.mask { try check(mask) }
    let names = options.recipe.chain.filters.map(\.name)
    guard names.count <= limits.maxFilters else {
      throw Problem(
        422, "too-many-filters",
        "\(names.count) filters are more than the \(limits.maxFilters) that are taken")
    }
    for name in names {
      guard limits.filters?.contains(name) ?? true, limits.refusedFilters?.contains(name) != true
      else {
        let others = limits.filters.map { "; there are \($0.joined(separator: ", "))" } ?? ""
        throw Problem(422, "no-such-filter", "the filter \(name) is not taken here\(others)")
      }
    }
    return options
  }

  /// Refuses more regions than are taken.
  func check(_ regions: RegionOptions) throws(Problem) {
    let count = regions.regions.count
    guard count <= limits.maxRegions else {
      throw Problem(
        422, "too-many-regions",
        "\(count) regions are more than the \(limits.maxRegions) that are taken")
    }
  }

  /// Returns the options of a search for faces; `nil` if none was requested.
  ///
  /// - Parameter isAsked: true if the search is all there is to do.
  func search(isAsked: Bool = false) throws(Failure) -> FindOptions? {
    try FindOptions(arguments, isAsked: isAsked)
  }

  /// Returns the redaction's method, regions and recipe.
  func redaction() throws(Failure) -> (RedactionMethod, RegionOptions, Recipe) {
    guard let regions = try RegionOptions(arguments, grow: 4, refusing: true) else {
      throw .usage("nothing to redact: give region, regions, mask or find=faces")
    }
    let method = try RedactionMethod(arguments)
    if try search() != nil { try method.demandCover(scale: try arguments.ownScale() ?? 1) }
    return (method, regions, try recipe(method, covering: regions))
  }

  /// The recipe that hides regions.
  func recipe(
    _ method: RedactionMethod, covering regions: RegionOptions
  ) throws(Failure) -> Recipe {
    method.recipe(
      covering: regions, scale: try arguments.ownScale() ?? 1,
      background: try arguments.background())
  }

  /// The images of a scene that are to be made.
  func sceneJob(to sink: StillSink) throws(Problem) -> SceneJob {
    guard let text = String(validating: parts["scene"] ?? [], as: UTF8.self) else {
      throw .badRequest("the scene is no UTF-8 text")
    }
    let file: SceneFile
    do {
      file = try SceneFile(text: text, pictures: parts)
    } catch { throw Problem(error) }
    let (time, rate, format, encoding) = try asked { () throws(Failure) in
      (
        try arguments.number("time", in: 0...3600), try arguments.number("fps", in: 1...60) ?? 30,
        try arguments.outputFormat(),
        try arguments.encoding(strip: false)
      )
    }
    let duration = file.duration
    let frames = time != nil || duration <= 0 ? 1 : Int((duration * rate).rounded())
    let size = file.size
    guard size.width.multipliedReportingOverflow(by: size.height).overflow == false,
      size.area.multipliedReportingOverflow(by: max(frames, 1)).overflow == false,
      size.area * max(frames, 1) <= limits.maxPixels
    else {
      throw Problem(
        413, "picture-too-large",
        "\(frames) images of \(size) pixels are more than the \(limits.maxPixels) that are taken")
    }
    let written = format ?? (frames > 1 ? .webp : .png)
    // Scenes have their own worker, so they are never deferred.
    var limits = limits
    limits.lightWork = nil
    try WorkCost(
      plan: nil, frames: 1, decoded: 0, pixels: size.area * frames, as: written,
      effort: encoding.effort
    ).check(limits)
    return SceneJob(
      file: file,
      moments: frames > 1 ? .all(framesPerSecond: rate) : .time(time ?? 0), sink: sink,
      format: written, encoding: encoding,
      decoding: limited(DecodeOptions()), deadline: deadline)
  }
}

/// Files that came with an order.
private struct PartFiles: OptionFiles {
  private let parts: [String: [UInt8]]
  private let limits: WorkLimits

  init(_ order: WorkOrder) {
    parts = order.parts
    limits = order.limits
  }

  func preset(_ value: String) throws(Failure) -> Preset {
    throw .usage("--preset is \(value); a worker knows no presets")
  }

  func regions(_ value: String, _ format: RegionsFormat?) throws(Failure) -> RegionsFile {
    // Before parsing: a text takes many times its size.
    let most = (64 << 10) + 512 * limits.maxRegions
    guard parts["regions"]?.count ?? 0 <= most else {
      throw Failure(
        "regions have \(parts["regions"]?.count ?? 0) bytes; with at most \(limits.maxRegions) regions "
          + "they may have \(most)", .badData)
    }
    let text = String(validating: parts["regions"] ?? [], as: UTF8.self)
    guard let text else { throw .usage("regions are no UTF-8 text") }
    do { return try RegionsFile(text: text, as: format) } catch {
      throw Failure("regions: \(error)", error.kind)
    }
  }

  func mask(
    _ value: String, _ channel: MaskChannel, maxPixels: Int, maxMemory: Int?
  ) throws(Failure) -> MaskImage {
    // The service's limits override the request.
    let options = DecodeOptions(maxPixels: limits.maxPixels, maxMemory: limits.maxMemory)
    do {
      return try StillDecoder(options).maskImage(.bytes(parts["mask"] ?? []), channel)
    } catch {
      let problem = Problem(FrostglassError.decode(error))
      throw Failure("mask: \(problem.detail)", FrostglassError.decode(error).kind)
    }
  }
}
