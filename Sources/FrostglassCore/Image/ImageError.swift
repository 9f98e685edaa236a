/// Why samples do not make an image.
public enum ImageError: Error, Sendable, Hashable, CustomStringConvertible {
  case emptySize(Size)
  case strideTooSmall(Int, needed: Int)
  /// Samples of more than a byte would not begin at multiples of their size.
  case strideMisaligned(Int, sample: Int)
  case tooFewBytes(Int, needed: Int)

  public var description: String {
    switch self {
    case .emptySize(let size):
      "an image of \(size) has no pixels; both sides must be at least 1"
    case .strideTooSmall(let stride, let needed):
      "bytesPerRow \(stride) is too small; one row needs \(needed) bytes"
    case .strideMisaligned(let stride, let sample):
      "bytesPerRow \(stride) is no multiple of \(sample), the bytes of a sample"
    case .tooFewBytes(let count, let needed):
      "\(count) bytes are too few for this image; it needs \(needed)"
    }
  }
}
