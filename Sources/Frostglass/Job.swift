/// One picture from where it is to where it goes.
public struct Job: Sendable {
  public var source: StillSource
  public var recipe: Recipe
  public var sink: StillSink
  /// The output's format; `nil` takes it from the path's extension, and for standard output from
  /// the input (PNG when that format is only read).
  public var format: StillFormat?
  public var decoding: DecodeOptions
  public var encoding: EncodeOptions
  /// When the job is given up if it is not done; `nil` for never.
  public var deadline: ContinuousClock.Instant?

  public init(
    source: StillSource, recipe: Recipe, sink: StillSink, format: StillFormat? = nil,
    decoding: DecodeOptions = DecodeOptions(), encoding: EncodeOptions = EncodeOptions(),
    deadline: ContinuousClock.Instant? = nil
  ) {
    self.source = source
    self.recipe = recipe
    self.sink = sink
    self.format = format
    self.decoding = decoding
    self.encoding = encoding
    self.deadline = deadline
  }
}

/// What to do with a picture.
public struct Recipe: Sendable, Hashable {
  public var chain: FilterChain
  public var options: PlanOptions
  /// What transparent results are composed on where the output has no alpha.
  public var background: Color

  public init(
    _ chain: FilterChain, options: PlanOptions = PlanOptions(), background: Color = .white
  ) {
    self.chain = chain
    self.options = options
    self.background = background
  }
}

/// The four stages of the line.
public enum Stage: String, Sendable, Hashable, CaseIterable {
  case decode
  case plan
  case execute
  case encode
}

/// What happened to one picture.
public struct Report: Sendable {
  /// How long one stage worked.
  public struct Timing: Sendable, Hashable {
    public var stage: Stage
    public var duration: Duration
  }

  /// What was run.
  public var plan: Plan
  /// Which backend ran it.
  public var backend: String
  /// Why that one, in words.
  public var reason = ""
  /// Something the user should know unasked: a GPU that is there and cannot be used.
  public var warning: String?
  /// Frames that were written: more than 1 for an animation.
  public var frames = 1
  /// Frames of the input that were left out, as the output is a still.
  public var framesLeftOut = 0
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
  ///   - chosen: `nil` takes it from the path's extension, and for standard output from the input
  ///     (PNG when that format is only read).
  ///   - input: the input's.
  /// - Throws: `EncodeError.unknownFormat` for an extension that says nothing.
  func format(_ chosen: StillFormat?, input: StillFormat) throws(EncodeError) -> StillFormat {
    if let chosen { return chosen }
    switch self {
    // Devices and pipes have no extension to tell a format by.
    case .file(let path, _) where !path.hasPrefix("/dev/"):
      return try StillFormat.toWrite(path: path)
    default: return input.canEncode ? input : .png
    }
  }
}
