internal import Frostglass
internal import FrostglassCore
internal import FrostglassOptions
internal import FrostglassStills

/// `frostglass compare`: how far an image is from another, or a backend from another or from the truth.
struct CompareCommand: Command {
  static let name = "compare"
  static let summary = "Compare images, backends, or one with the true Gaussian"
  static let operands = "INPUT OTHER  |  INPUT"
  static let notes = """
    Compares two files: largest and mean difference in levels of 255, PSNR and SSIM. Of an animation
    the first frame is compared, or the one that --frame names.

    With one INPUT, runs the filters on --backend and on --with and compares the results. It also names
    the first pass whose output differs by more than its arithmetic allows.

    Values are compared premultiplied. The exit code is 1 if the largest difference exceeds --tolerance.
    """
  static let options: [Option] =
    RecipeOptions.table + [
      Option("backend", value: "B", "Backend to test: auto, gl, fast or reference (auto)"),
      .device, .gpuMemory,
      Option("with", value: "B", "Compare with: gl, fast, reference, truth (reference)"),
      Option(
        "truth", "Compare with the double-precision Gaussian",
        details: "The same as --with truth."),
      Option("tolerance", value: "N", "Largest accepted difference, in levels of 255 (1)"),
      Option("difference", value: "FILE", "Write the differences, amplified 16 times, as an image"),
      Option("overwrite", "Replace an existing difference image"), .json, .quiet,
    ]

  private let work: Work

  private enum Work {
    case files(CompareFiles)
    case backends(CompareBackends)
  }

  init(_ arguments: ParsedArguments) throws {
    guard (1...2).contains(arguments.operands.count) else {
      throw Failure.usage(
        "INPUT and OTHER, or one INPUT, are needed; see `frostglass compare --help`")
    }
    let tolerance = try arguments.number("tolerance", in: 0...255) ?? 1
    let sink = try Self.difference(arguments)
    work =
      arguments.operands.count == 2
      ? .files(try CompareFiles(arguments, tolerance: tolerance, differenceSink: sink))
      : .backends(try CompareBackends(arguments, tolerance: tolerance, differenceSink: sink))
  }

  func run() async throws -> Int32 {
    switch work {
    case .files(let files): try files.run()
    case .backends(let backends): try await backends.run()
    }
  }

  private static func difference(
    _ arguments: ParsedArguments
  ) throws -> (StillSink, StillFormat)? {
    guard let path = try arguments.sideFile("difference") else {
      guard !arguments.has("overwrite") else {
        throw Failure.usage(
          "--overwrite is for the image of --difference FILE, which is not given")
      }
      return nil
    }
    let format = try StillFormat.toWrite(path: path)
    let sink = StillSink.file(path, overwrite: arguments.has("overwrite"))
    try sink.preflight()
    return (sink, format)
  }
}

/// A recipe on one backend and on another, for `frostglass compare`.
private struct CompareBackends {
  private let source: StillSource
  private let comparer: Comparer
  private let backend: BackendChoice
  private let standard: Comparer.Standard
  private let tolerance: Double
  private let mask: RegionOptions?
  private let scale: Double
  private let differenceSink: (StillSink, StillFormat)?

  init(
    _ arguments: ParsedArguments, tolerance: Double, differenceSink: (StillSink, StillFormat)?
  ) throws {
    source = StillSource(operand: arguments.operands[0])
    let recipe = try RecipeOptions(arguments)
    mask = recipe.mask
    scale = recipe.recipe.options.scale
    let setup = try arguments.gpuOptions()
    comparer = Comparer(recipe: recipe.recipe, decoding: recipe.decoding, setup: setup)
    let isOther = arguments.values["with"]?.lowercased() == BackendChoice.gl.rawValue
    backend = try arguments.choice(
      "backend", default: setup.devices == nil || isOther ? .auto : .gl)
    if setup.devices != nil, backend != .gl, !isOther { throw arguments.wrongBackend }
    if arguments.has("truth"), let other = arguments.values["with"], other.lowercased() != "truth" {
      throw Failure.usage(
        "--truth stands for --with truth, and --with is \(other); give one of them")
    }
    if arguments.has("truth") || arguments.values["with"] == "truth" {
      standard = .truth
      if recipe.mask != nil {
        throw Failure.usage("the truth knows no regions and masks; compare with another backend")
      }
    } else {
      standard = .backend(try arguments.choice("with", default: .reference, beside: ["truth"]))
    }
    self.tolerance = tolerance
    self.differenceSink = differenceSink
  }

  func run() async throws -> Int32 {
    let findings = try await ProgressLine.during { line in
      line.say("comparing")
      return try await comparer.compare(source, backend, with: standard)
    }
    for note in mask?.notes(for: findings.plan, scale: scale) ?? [] {
      Console.note("frostglass compare: \(note)")
    }
    Console.report(findings.recoveries, of: CompareCommand.name)
    if Console.speaksJSON {
      Console.print(json: members(findings), of: CompareCommand.name)
    } else {
      Console.print(text(findings))
    }
    let (image, expected) = findings.images
    if let (sink, format) = differenceSink {
      try sink.write(differenceOf: image, and: expected, as: format)
    }
    return findings.comparison.maximum > tolerance ? ExitCode.different : ExitCode.done
  }

  private func text(_ findings: Comparer.Findings) -> String {
    let names = "\(findings.names.0) with \(findings.names.1)"
    var lines =
      ["compared  \(names), premultiplied, levels of 255"] + findings.comparison.lines
    if let suspect = findings.suspect {
      lines.append(
        "first pass beyond its budget: step \(suspect.step), \(suspect.pass): "
          + "\(rounded(suspect.difference)) of \(rounded(suspect.budget)) levels")
    } else if case .backend = standard {
      lines.append("every pass within its budget")
    }
    lines.append(
      "certified error \(rounded(findings.plan.certifiedError.total)) before rounding, "
        + "tolerance \(rounded(tolerance))")
    return lines.joined(separator: "\n")
  }

  private func members(_ findings: Comparer.Findings) -> [(String, String)] {
    let suspect = findings.suspect.map { suspect in
      JSONText.object([
        ("step", "\(suspect.step)"), ("pass", JSONText.string("\(suspect.pass)")),
        ("difference", rounded(suspect.difference)), ("budget", rounded(suspect.budget)),
      ])
    }
    return findings.comparison.members(findings.names, ssim: nil, tolerance: tolerance) + [
      ("suspect", suspect ?? "null"),
      ("certifiedError", rounded(findings.plan.certifiedError.total)),
    ]
  }

  private func rounded(_ value: Double) -> String {
    "\((value * 10000).rounded() / 10000)"
  }
}

/// Two images as they are, for `frostglass compare`.
struct CompareFiles {
  /// Those of the command's options that are not about blurring.
  private static let options: Set = [
    "tolerance", "difference", "overwrite", "max-pixels", "memory", "profile", "frame", "json",
    "quiet",
  ]

  private let sources: [StillSource]
  private let decoder: StillDecoder
  private let tolerance: Double
  private let differenceSink: (StillSink, StillFormat)?

  /// - Parameter differenceSink: where an image of the differences goes.
  init(
    _ arguments: ParsedArguments, tolerance: Double, differenceSink: (StillSink, StillFormat)?
  ) throws {
    for option in CompareCommand.options where arguments.has(option.name) {
      guard !Self.options.contains(option.name) else { continue }
      throw Failure.usage("--\(option.name) is for one INPUT; two files are compared as they are")
    }
    guard arguments.operands != ["-", "-"] else {
      throw Failure.usage("both INPUT and OTHER are standard input; one of them must be a file")
    }
    sources = arguments.operands.map { StillSource(operand: $0) }
    decoder = StillDecoder(try arguments.decoding())
    self.tolerance = tolerance
    self.differenceSink = differenceSink
  }

  func run() throws -> Int32 {
    let images = [try image(sources[0]), try image(sources[1])]
    let comparison: ImageComparison
    let likeness: StructuralSimilarity
    do {
      comparison = try ImageComparison(images[0], images[1])
      likeness = try StructuralSimilarity(images[0], images[1])
    } catch { throw Failure("\(error)", .badData) }
    let names = (sources[0].name, sources[1].name)
    if Console.speaksJSON {
      Console.print(
        json: comparison.members(names, ssim: likeness.value, tolerance: tolerance) + [
          ("suspect", "null"), ("certifiedError", "null"),
        ], of: CompareCommand.name)
    } else {
      Console.print(
        (["compared  \(names.0) with \(names.1), premultiplied, levels of 255"] + comparison.lines
          + ["SSIM      \(likeness.value.rounded(places: 4))"]).joined(separator: "\n"))
    }
    if let (sink, format) = differenceSink {
      try sink.write(differenceOf: images[0], and: images[1], as: format)
    }
    return comparison.maximum > tolerance ? ExitCode.different : ExitCode.done
  }

  private func image(_ source: StillSource) throws -> Image {
    let reader = try decoder.reader(of: source)
    try decoder.checkMemory(reader.imageMemory, for: reader)
    let image = try reader.image()
    tell(of: reader.finalHeader, source.name)
    return image
  }

  /// Says what of a file is not compared.
  private func tell(of header: StillHeader, _ name: String) {
    var notes = header.notes(on: name)
    if header.frames > 1, decoder.options.frame == nil {
      notes.append(
        "\(name) has \(header.frames) frames; the first was compared, --frame N takes another")
    }
    for note in notes { Console.note("frostglass compare: \(note)") }
  }
}

extension ImageComparison {
  /// Returns the members of the JSON that `compare` prints.
  ///
  /// - Parameter ssim: `nil` if it was not requested.
  func members(
    _ names: (String, String), ssim: Double?, tolerance: Double
  ) -> [(String, String)] {
    [
      ("first", names.0.jsonPath), ("second", names.1.jsonPath),
      ("maximum", "\(maximum.rounded(places: 4))"),
      ("worst", JSONText.object([("x", "\(worstPixel.x)"), ("y", "\(worstPixel.y)")])),
      ("mean", "\(mean.rounded(places: 4))"),
      ("psnr", psnr.isFinite ? "\(psnr.rounded(places: 4))" : "null"),
      ("ssim", ssim.map { "\($0.rounded(places: 4))" } ?? "null"),
      ("tolerance", "\(tolerance)"), ("different", maximum > tolerance ? "true" : "false"),
    ]
  }

  /// The lines that `compare` prints.
  var lines: [String] {
    [
      "maximum   \(maximum.rounded(places: 4)) at \(worstPixel.x), \(worstPixel.y)",
      "mean      \(mean.rounded(places: 4))",
      "PSNR      \(psnr.isFinite ? "\(psnr.rounded(places: 4)) dB" : "infinite")",
    ]
  }
}

extension StillSink {
  /// Writes an image of the differences of two images of one size.
  func write(
    differenceOf first: Image, and second: Image, as format: StillFormat
  ) throws {
    guard let picture = try? first.difference(to: second) else { return }
    try StillEncoder().encode(picture, as: format, to: self)
  }
}
