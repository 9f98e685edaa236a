/// Pictures of a scene that are to be made.
public struct SceneJob: Sendable {
  /// Which moments.
  public enum Moments: Sendable, Hashable {
    /// One, in seconds.
    case time(Double)
    /// All of the scene, so many per second.
    case all(framesPerSecond: Double)
  }

  public var file: SceneFile
  public var moments: Moments
  /// Where pictures go; `nil` renders without writing.
  public var sink: StillSink?
  public var format: StillFormat?
  public var encoding: EncodeOptions
  /// A file for what there is to say of each moment, as CSV.
  public var trace: StillSink?

  public init(
    file: SceneFile, moments: Moments, sink: StillSink?, format: StillFormat? = nil,
    encoding: EncodeOptions = EncodeOptions(), trace: StillSink? = nil
  ) {
    self.file = file
    self.moments = moments
    self.sink = sink
    self.format = format
    self.encoding = encoding
    self.trace = trace
  }

  /// Checks the times that are asked for.
  func check() throws(FrostglassError) {
    switch moments {
    case .time(let time):
      guard (0...file.document.duration).contains(time) else {
        throw .scene(.timeOutside(time, duration: file.document.duration))
      }
    case .all(let rate):
      guard rate > 0, rate <= 1000 else { throw .scene(.badRate(rate)) }
    }
  }

  /// In seconds, from the first to the last.
  var times: [Double] {
    switch moments {
    case .time(let time): return [time]
    case .all(let rate):
      let frames = max(1, Int((file.document.duration * rate).rounded()))
      return (0..<frames).map { Double($0) / rate }
    }
  }
}
