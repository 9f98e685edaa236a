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

  public init(
    source: StillSource, recipe: Recipe, sink: StillSink, format: StillFormat? = nil,
    decoding: DecodeOptions = DecodeOptions(), encoding: EncodeOptions = EncodeOptions()
  ) {
    self.source = source
    self.recipe = recipe
    self.sink = sink
    self.format = format
    self.decoding = decoding
    self.encoding = encoding
  }

  /// The format to write when the input has `input`'s.
  ///
  /// - Throws: `EncodeError.unknownFormat` for an extension that says nothing.
  func outputFormat(input: StillFormat) throws(EncodeError) -> StillFormat {
    if let format { return format }
    switch sink {
    case .file(let path, _) where Job.namesFormat(path): return try StillFormat.toWrite(path: path)
    default: return input.canEncode ? input : .png
    }
  }

  /// Devices and pipes have no extension to tell a format by.
  private static func namesFormat(_ path: String) -> Bool { !path.hasPrefix("/dev/") }
}
