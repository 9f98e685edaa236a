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
    try sink.format(format, input: input)
  }
}
