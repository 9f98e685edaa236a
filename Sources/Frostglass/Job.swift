/// One picture from where it is to where it goes, or to several places, each with a recipe of its own.
public struct Job: Sendable {
  /// What becomes of the picture, and where it goes.
  public struct Output: Sendable {
    /// What is done to the picture.
    public var recipe: Recipe
    /// Where the result goes.
    public var sink: StillSink
    /// The format; `nil` takes it from the path's extension, and for standard output from the input.
    public var format: StillFormat?
    /// How the result is written.
    public var encoding: EncodeOptions
    /// Told of the result once it is whole, before it has its place; `nil` tells nobody.
    package var telling: Telling?

    /// Tells of a result by the input's size and, for a file, its own SHA-256; where it throws, nothing is
    /// written.
    package typealias Telling =
      @Sendable (_ size: Size, _ digest: String?) throws(FrostglassError) -> Void

    /// An output; what is left out is as usual.
    public init(
      _ recipe: Recipe, to sink: StillSink, format: StillFormat? = nil,
      encoding: EncodeOptions = EncodeOptions()
    ) {
      self.recipe = recipe
      self.sink = sink
      self.format = format
      self.encoding = encoding
    }
  }

  /// Where the picture is.
  public var source: StillSource
  /// One or more. The picture is decoded once for all of them, and what their recipes begin with in
  /// common is computed once. None has its place before all are encoded and written
  /// beside theirs.
  public var outputs: [Output]
  /// How it is read, and what is refused.
  public var decoding: DecodeOptions
  /// When the job is given up if it is not done; `nil` for never.
  public var deadline: ContinuousClock.Instant?

  /// A job with any number of outputs.
  ///
  /// - Parameter outputs: one or more.
  public init(
    source: StillSource, outputs: [Output], decoding: DecodeOptions = DecodeOptions(),
    deadline: ContinuousClock.Instant? = nil
  ) {
    self.source = source
    self.outputs = outputs
    self.decoding = decoding
    self.deadline = deadline
  }

  /// A job with one output.
  ///
  /// - Parameter format: see `Output`.
  public init(
    source: StillSource, recipe: Recipe, sink: StillSink, format: StillFormat? = nil,
    decoding: DecodeOptions = DecodeOptions(), encoding: EncodeOptions = EncodeOptions(),
    deadline: ContinuousClock.Instant? = nil
  ) {
    self.init(
      source: source, outputs: [Output(recipe, to: sink, format: format, encoding: encoding)],
      decoding: decoding, deadline: deadline)
  }
}

/// What to do with a picture.
public struct Recipe: Sendable, Hashable {
  /// The filters, in order.
  public var chain: FilterChain
  /// How they are planned: edges, quality, light, scale, mask.
  public var options: PlanOptions
  /// What transparent results are composed on where the output has no alpha.
  public var background: Color

  /// A recipe; `background` counts only where the output has no alpha.
  public init(
    _ chain: FilterChain, options: PlanOptions = PlanOptions(), background: Color = .white
  ) {
    self.chain = chain
    self.options = options
    self.background = background
  }
}

extension Report {
  /// The four stages of the line.
  public enum Stage: String, Sendable, Hashable, CaseIterable {
    /// Reading the file.
    case decode
    /// Deciding what will be computed.
    case plan
    /// Computing it.
    case execute
    /// Writing the result.
    case encode
  }
}

/// What happened to one picture.
public struct Report: Sendable {
  /// One of the files that were written.
  public struct Output: Sendable, Hashable {
    /// The format that was written.
    public var format: StillFormat
    /// Frames that were written: more than 1 for an animation.
    public var frames: Int
    /// Frames of the input that were left out, as the output is a still.
    public var framesLeftOut: Int
    /// Whether pixels that were partly transparent are wholly so or not at all, as in a GIF.
    public var hasHardEdges = false
    /// What the input says beside its pixels and this file has no place for, in words such as `IPTC`;
    /// nothing where nothing was to be kept.
    public var metadataLeftOut: [String] = []
  }

  /// How long one stage worked.
  public struct Timing: Sendable, Hashable {
    /// Which stage.
    public var stage: Stage
    /// How long it worked.
    public var duration: Duration
  }

  /// What was read.
  public var input: StillHeader
  /// What was run; with as many results as there are outputs.
  public var plan: Plan
  /// Which backend ran it.
  public var backend: String
  /// Why that one, in words.
  public var reason = ""
  /// Something the user should know unasked: a GPU that is there and cannot be used.
  public var warning: String?
  /// What was written, in the order of the job's outputs.
  public var outputs: [Output] = []
  /// What failed on the way and was made good, each kind once; empty in the usual case.
  public var recoveries: [Recovery] = []
  /// How long each stage worked, in order. All but planning go on side by side, so together that may be
  /// more than `duration`.
  public var timings: [Timing] = []
  /// From the job's begin to its end.
  public var duration: Duration = .zero
}

extension [Recovery] {
  /// Those whose remedy is not among others'; the first of each kind.
  package func newTo(_ others: [Recovery]) -> [Recovery] {
    var known = Set(others.map(\.remedy))
    return filter { known.insert($0.remedy).inserted }
  }
}

extension StillSink {
  /// The format to write: the one chosen, or the path's, or the input's.
  ///
  /// - Parameters:
  ///   - chosen: `nil` takes it from the path's extension, and for standard output from the input.
  ///   - input: the input's.
  /// - Throws: `EncodeError.unknownFormat` for an extension that says nothing.
  package func format(_ chosen: StillFormat?, input: StillFormat) throws(EncodeError) -> StillFormat
  {
    if let chosen { return chosen }
    switch self {
    // Devices and pipes have no extension to tell a format by.
    case .file(let path, _) where !path.hasPrefix("/dev/"):
      let named = try StillFormat.toWrite(path: path)
      // Most animated PNGs have the name of a still one.
      return named == .png && input == .apng ? .apng : named
    default: return input
    }
  }
}
