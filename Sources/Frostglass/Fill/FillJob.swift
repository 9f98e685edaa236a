/// One picture from where it is to a canvas of another shape.
public struct FillJob: Sendable {
  public var source: StillSource
  public var letterbox: Letterbox
  public var sink: StillSink
  /// The output's format; `nil` takes it from the path's extension, and for standard output from
  /// the input (PNG when that format is only read).
  public var format: StillFormat?
  /// Behind transparent pictures where the output has no alpha.
  public var background: Color
  public var decoding: DecodeOptions
  public var encoding: EncodeOptions

  public init(
    source: StillSource, letterbox: Letterbox, sink: StillSink, format: StillFormat? = nil,
    background: Color = .white, decoding: DecodeOptions = DecodeOptions(),
    encoding: EncodeOptions = EncodeOptions()
  ) {
    self.source = source
    self.letterbox = letterbox
    self.sink = sink
    self.format = format
    self.background = background
    self.decoding = decoding
    self.encoding = encoding
  }
}
