public import FrostglassCore

/// How the samples of shared memory are arranged in a pixel.
public enum DMAFormat: Sendable, Hashable, CaseIterable, CustomStringConvertible {
  /// Bytes of red, green, blue, alpha.
  case rgba8
  /// Bytes of red, green, blue, and one that means nothing.
  case rgbx8
  /// Bytes of blue, green, red, alpha.
  case bgra8
  /// Bytes of blue, green, red, and one that means nothing.
  case bgrx8
  /// One byte.
  case gray8

  /// The code that drivers know it by: four letters, the first in the low byte.
  public var code: UInt32 { letters.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) } }

  /// By its code; `nil` for one that is not among these.
  public init?(code: UInt32) {
    guard let format = DMAFormat.allCases.first(where: { $0.code == code }) else { return nil }
    self = format
  }

  public var description: String { letters }

  /// What a plan sees.
  public var pixelFormat: PixelFormat {
    switch self {
    case .rgba8, .bgra8: .rgba8
    case .rgbx8, .bgrx8: .rgb8
    case .gray8: .gray8
    }
  }

  /// Bytes of a pixel in memory.
  public var bytesPerPixel: Int { self == .gray8 ? 1 : 4 }

  // Named after a word of the four bytes, high byte first: the reverse of memory.
  private var letters: String {
    switch self {
    case .rgba8: "AB24"
    case .rgbx8: "XB24"
    case .bgra8: "AR24"
    case .bgrx8: "XR24"
    case .gray8: "R8  "
    }
  }
}
