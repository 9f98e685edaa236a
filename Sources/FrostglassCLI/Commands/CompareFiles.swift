internal import Frostglass
internal import FrostglassOptions

/// Two pictures as they are, for `frostglass compare`.
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

  /// - Parameter differenceSink: where a picture of the differences goes.
  init(
    _ arguments: ParsedArguments, tolerance: Double, differenceSink: (StillSink, StillFormat)?
  ) throws(Failure) {
    for option in CompareCommand.options where arguments.has(option.name) {
      guard !Self.options.contains(option.name) else { continue }
      throw .usage("--\(option.name) is for one INPUT; two files are compared as they are")
    }
    guard arguments.operands != ["-", "-"] else {
      throw .usage("both INPUT and OTHER are standard input; one of them must be a file")
    }
    sources = arguments.operands.map { StillSource(operand: $0) }
    decoder = StillDecoder(try arguments.decoding())
    self.tolerance = tolerance
    self.differenceSink = differenceSink
  }

  func run() throws(Failure) -> Int32 {
    let images = [try image(sources[0]), try image(sources[1])]
    let comparison: ImageComparison
    let likeness: StructuralSimilarity
    do throws(ComparisonError) {
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

  private func image(_ source: StillSource) throws(Failure) -> Image {
    do throws(DecodeError) { return try decoder.decode(source).image } catch {
      throw FrostglassError.decode(error).failure
    }
  }
}

extension ImageComparison {
  /// What `compare` says of it to programs.
  ///
  /// - Parameter ssim: `nil` where it was not asked for.
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

  /// What `compare` says of it.
  var lines: [String] {
    [
      "maximum   \(maximum.rounded(places: 4)) at \(worstPixel.x), \(worstPixel.y)",
      "mean      \(mean.rounded(places: 4))",
      "PSNR      \(psnr.isFinite ? "\(psnr.rounded(places: 4)) dB" : "infinite")",
    ]
  }
}

extension StillSink {
  /// Writes a picture of the differences of two images of one size.
  func write(
    differenceOf first: Image, and second: Image, as format: StillFormat
  ) throws(Failure) {
    guard let picture = try? first.difference(to: second) else { return }
    try mapped(\EncodeError.failure, StillEncoder().encode(picture, as: format, to: self))
  }
}
