/// Why frames cannot go where they should.
public enum FrameSinkError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A percent sign that begins no number.
  case badNumber(path: String, found: String)
  case severalNumbers(path: String)
  case numberInFolder(path: String)
  /// Several frames for a file that holds one.
  case holdsOneFrame(path: String, format: StillFormat, frames: Int)
  case badFrameRate(Double, format: StillFormat, accepted: ClosedRange<Double>)
  /// The frames ended before all were there.
  case incomplete(frames: Int, given: Int)
  /// There is no thread to write them.
  case noThread

  public var description: String {
    switch self {
    case .badNumber(let path, let found):
      "\(path): \(found) stands for no number; give %d or, with as many digits as there are to be, "
        + "%04d, and %% for a percent sign"
    case .severalNumbers(let path):
      "\(path): there is more than one place for the number; give %d or %04d once"
    case .numberInFolder(let path):
      "\(path): the number is in the folder's name; give it in the file's, as in frames/%04d.png"
    case .holdsOneFrame(let path, let format, let frames):
      "\(path): \(format.rawValue.uppercased()) holds one picture, and these are \(frames); give a "
        + "name with a number such as %04d.\(format.fileExtension), or one that ends with .webp "
        + "or .gif"
    case .badFrameRate(let rate, let format, let accepted):
      "\(rate) frames per second do not go into \(format == .gif ? "GIF" : "WebP"); accepted is "
        + "\(accepted.lowerBound) to \(accepted.upperBound): browsers slow down what is faster"
    case .incomplete(let frames, let given):
      "\(given) of \(frames) frames were made; nothing is written of an animation that ends early"
    case .noThread:
      "no thread could be started to write the frames; allow more, or end other programs"
    }
  }
}
