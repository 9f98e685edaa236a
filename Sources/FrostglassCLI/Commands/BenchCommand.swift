internal import Frostglass
internal import FrostglassBackends
internal import FrostglassBench
internal import FrostglassCore
internal import FrostglassGL
internal import FrostglassOptions
internal import FrostglassStills

/// `frostglass bench`: what a blur costs here, next to a copy of the same frame.
struct BenchCommand: Command {
  static let name = "bench"
  static let summary = "Measure blurs on this machine, relative to a copy"
  static let operands = ""
  static let notes = """
    Blurs a frame in memory in turn with a plain copy of it on as many threads, and prints the medians
    of both. Decoding and encoding are not measured; warm-up runs do not count.

    The frame is premultiplied by default. Straight alpha costs one more multiplication per sample on
    the way in and a division on the way out. The reference backend runs on one thread.

    GHz and adds describe the processor during the runs, on its slowest thread: its clock, and vector
    additions per cycle (3 or 4 on a core of one's own). Lower values slow blurs more than copies.

    --filter measures filter chains, separated by semicolons, in turn within each round:
    "gaussian(22.5px); thin-light(22.5px)" shows what the colors of a material cost.

    On a GPU a second line gives the device's time for a resident frame next to a resident copy, and
    the time per frame of a stream from memory and back, next to the same stream without a blur.

    --planes measures video frames on as many threads as a video uses, with everything that is kept
    between frames ready. It prints processor time: for the planes one by one, where the filters allow
    it, for the same by way of RGB, and for a copy.

    --json prints backend, width, height, format, sigma (or filter), threads, median_ms, copy_ms,
    runs, alpha, ratio (of blur to copy), megapixels_per_second, clock_ghz and additions_per_cycle;
    on a GPU also device_ms, device_clock_ms, device_copy_ms, device_ratio, streamed_ms, transfer_ms
    and moved_bytes.

    --interactive keeps everything warm and measures one round per request, so that another program
    can measure this one and others in turn. A request is a line with a sigma, or with a sigma and the
    name of a new file for the blurred samples; the answer is a line such as
    {"sigma":20.0,"blur_ms":8.1,"copy_ms":2.6,"clock_ghz":3.4,"additions_per_cycle":3.9}.

    --soak runs images of many sizes and formats through filters of all kinds on one backend, and
    prints the memory in use after each as CSV.

    --responsiveness measures how late a sleep of 20 ms ends while eight blurs run, and, for every
    filter (or those of --filter), how soon a blur of a JPEG of 6000x4000 (or --size) ends that is
    cancelled after 300 ms, with the processor time of half a second after that. --json prints an
    object for each.
    """
  static let options = BenchOptions.table

  private let options: BenchOptions

  init(_ arguments: ParsedArguments) throws { options = try BenchOptions(arguments) }

  func run() async throws -> Int32 {
    if let jobs = options.soak {
      var setup = options.setup
      (setup.choice, setup.threads) = (options.backends[0], options.threads)
      try await SoakTrace(jobs: jobs, selector: BackendSelector(setup)).run()
      return ExitCode.done
    }
    if options.responsiveness {
      try await ResponsivenessTrace(options).run()
      return ExitCode.done
    }
    if options.interactive {
      var dialogue = BenchDialogue(
        bench: try await bench(try frame(options.sizes[0]), options.backends[0]))
      try await dialogue.run()
      return ExitCode.done
    }
    if let formats = options.planes {
      try measurePlanes(formats)
      return ExitCode.done
    }
    for (index, size) in options.sizes.enumerated() {
      let frame = try frame(size)
      if index == 0 && !options.json { Console.print(BenchText.heading) }
      for backend in options.backends {
        var bench = try await bench(frame, backend)
        for subjects in options.groups { try await measure(subjects, &bench) }
      }
    }
    return ExitCode.done
  }

  private func measurePlanes(_ formats: [YCbCrFormat]) throws {
    if !options.json { Console.print(BenchText.planesHeading) }
    for size in options.sizes {
      for format in formats {
        let bench = try PlanesBench(format, size, threads: options.threads)
        for subject in options.groups.joined() {
          let row = try bench.measure(subject.chain, options.planning, options.length)
          Console.print(
            options.json
              ? BenchText.json(row, of: bench, subject) : BenchText.line(row, of: bench, subject))
        }
      }
    }
  }

  private func measure(
    _ subjects: [BenchSubject], _ bench: inout FrameBench
  ) async throws {
    let rows = try await ProgressLine.during { line in
      let what = subjects.map(\.label).joined(separator: ", ")
      line.say("\(bench.backend) \(bench.frame.size) \(what)")
      return try await bench.measure(subjects.map(\.chain), options.length)
    }
    for (row, subject) in zip(rows, subjects) {
      Console.print(
        options.json
          ? BenchText.json(row, of: bench, subject) : BenchText.line(row, of: bench, subject))
    }
  }

  private func bench(
    _ frame: Image, _ backend: BackendChoice
  ) async throws -> FrameBench {
    try await FrameBench(
      frame, on: backend, threads: options.threads, options: options.planning, setup: options.setup)
  }

  private func frame(_ size: Size) throws -> Image {
    guard let path = options.frame else {
      return .textured(size, options.format, alpha: options.alpha)
    }
    let bytes = try RawFile.read(path, count: size.area * options.format.bytesPerPixel)
    do {
      return try Image(size: size, format: options.format, alpha: options.alpha, bytes: bytes)
    } catch {
      throw Failure("\(path): \(error)", .badData)
    }
  }
}

/// Measures on request: one line in, one round, one line out, with memory and threads kept warm.
///
/// Another program can thus measure this one and others alternately, on the same frame.
private struct BenchDialogue {
  /// `SIGMA`, or `SIGMA FILE` to have the blurred samples written to a new file.
  private struct Request {
    var sigma: Double
    var file: String?

    init(_ line: String) throws {
      let words = line.split(separator: " ", maxSplits: 1)
      guard let word = words.first, let sigma = Double(word), Sigma.range.contains(sigma) else {
        throw Failure.usage(
          "the request is \"\(line)\"; it must be a sigma from 0 to 1000, and may end with the "
            + "name of a file to make")
      }
      self.sigma = sigma
      file = words.count > 1 ? String(words[1]) : nil
    }
  }

  var bench: FrameBench

  /// Answers until standard input ends.
  ///
  /// - Throws: `Failure`: 64 for a request that cannot be meant.
  mutating func run() async throws {
    while let line = readLine() {
      let request = try Request(line)
      let round = try await round(sigma: request.sigma)
      if let file = request.file { try RawFile.write(bench.result.bytes, to: file) }
      Console.print(BenchText.json(round, sigma: request.sigma))
    }
  }

  /// One round, after one that does not count unless it is long: whoever asks is still busy for a
  /// moment, on a core that is wanted here.
  private mutating func round(sigma: Double) async throws -> BenchRound {
    let round = try await bench.round(sigma: sigma)
    return round.blur < .milliseconds(100) ? try await bench.round(sigma: sigma) : round
  }
}

/// `frostglass bench --soak`: many jobs on one backend, and a table of the memory they leave taken.
private struct SoakTrace {
  static let heading = "job,seconds,rss_bytes,gpu_bytes,gpu_peak_bytes,textures,made,reused"

  var jobs: Int
  var selector: BackendSelector

  /// - Throws: `Failure` at the first job that fails.
  func run() async throws {
    var soak = try await Soak(on: selector)
    Console.print(SoakTrace.heading)
    // Some 200 lines, the first and the last job among them.
    let every = max(jobs / 200, 1)
    for job in 1...jobs {
      let row = try await soak.next()
      if job % every == 0 || job == 1 || job == jobs { Console.print(line(row)) }
    }
  }

  private func line(_ row: Soak.Row) -> String {
    let seconds = Double(row.elapsed / .milliseconds(1)) / 1000
    let gpu = row.gpu
    let numbers = [
      row.resident, gpu.heldBytes + gpu.bufferBytes, gpu.peakBytes, gpu.textures, gpu.made,
      gpu.reused,
    ]
    return "\(row.job),\(seconds)," + numbers.map { "\($0)" }.joined(separator: ",")
  }
}

/// `frostglass bench --responsiveness`: what other tasks notice of blurs, and how soon cancelled ones end.
private struct ResponsivenessTrace {
  private let options: BenchOptions
  private let pipeline: Pipeline
  private let size: Size

  init(_ options: BenchOptions) {
    self.options = options
    var setup = options.setup
    (setup.choice, setup.threads) = (options.backends[0], options.threads)
    pipeline = Pipeline(setup)
    size = options.sizes[0]
  }

  /// - Throws: `Failure` where nothing can be blurred.
  func run() async throws {
    try await printLateness()
    let file = try StillEncoder().encode(.textured(size, .rgb8), as: .jpeg)
    if !options.json {
      Console.print(
        "\(size) JPEG to JPEG, cancelled after 300 ms: until it ended, and processor time after that"
      )
    }
    for subject in options.groups.joined() {
      let row = await Responsiveness.cancellation(of: subject.label) {
        _ = try await pipeline.blur(file, subject.chain, as: .jpeg)
      }
      Console.print(options.json ? BenchText.json(row) : BenchText.line(row))
    }
  }

  private func printLateness() async throws {
    let idle = try await Responsiveness.lateness { try await Task.sleep(for: .seconds(1)) }
    let frame = Image.textured(
      Size(width: min(size.width, 2000), height: min(size.height, 2000)), .rgb8)
    let busy = try await Responsiveness.lateness {
      try await withThrowingTaskGroup { group in
        for _ in 0..<8 {
          group.addTask { _ = try await pipeline.blur(frame, [.zoom(amount: 0.15)]) }
        }
        try await group.waitForAll()
      }
    }
    Console.print(
      options.json
        ? BenchText.lateness(idle: idle, busy: busy)
        : "a sleep of 20 ms: late by \(BenchText.tenths(idle)) ms at most while nothing runs, by "
          + "\(BenchText.tenths(busy)) ms while eight blurs run (zoom, \(frame.size))")
  }
}

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
    Option("quality", value: "Q", "Error: exact 1/255, fast 2/255, exact16 2/65535 (exact)"),
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
      quality: try arguments.choice("quality", default: .high),
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
