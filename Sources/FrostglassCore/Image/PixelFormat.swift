/// Channels and sample storage together.
public struct PixelFormat: Sendable, Hashable, CustomStringConvertible {
  /// Which channels.
  public var layout: Layout
  /// How each sample is stored.
  public var depth: Depth

  /// A format of these channels and samples.
  public init(_ layout: Layout, _ depth: Depth) {
    self.layout = layout
    self.depth = depth
  }

  /// One channel of 8 bits.
  public static let gray8 = PixelFormat(.gray, .uint8)
  /// Three channels of 8 bits.
  public static let rgb8 = PixelFormat(.rgb, .uint8)
  /// Four channels of 8 bits.
  public static let rgba8 = PixelFormat(.rgba, .uint8)

  /// Bytes per pixel.
  public var bytesPerPixel: Int { layout.channels * depth.bytes }

  /// Every combination of layout and depth.
  public static let all: [PixelFormat] = Layout.allCases.flatMap { layout in
    Depth.allCases.map { PixelFormat(layout, $0) }
  }

  /// `rgba8`, `gray16`, `rgbf32` and so on.
  public var description: String {
    let bits =
      switch depth {
      case .uint8: "8"
      case .uint16: "16"
      case .float32: "f32"
      }
    return "\(layout)\(bits)"
  }
}

extension PixelFormat {
  /// Which channels a pixel has, in memory order.
  public enum Layout: Int, Sendable, Hashable, CaseIterable, Comparable {
    /// Brightness alone.
    case gray = 1
    /// Red, green, blue.
    case rgb = 3
    /// Red, green, blue, alpha.
    case rgba = 4

    /// By the number of channels.
    public static func < (left: Layout, right: Layout) -> Bool { left.channels < right.channels }

    /// Samples per pixel: 1, 3 or 4.
    public var channels: Int { rawValue }
    /// Whether a pixel carries its own coverage.
    public var hasAlpha: Bool { self == .rgba }
  }
}

extension PixelFormat {
  /// How one sample is stored.
  public enum Depth: Sendable, Hashable, CaseIterable {
    /// 0…255.
    case uint8
    /// 0…65535, in the machine's byte order.
    case uint16
    /// 32-bit float in the machine's byte order; 0…1 is black to white, values outside are kept.
    case float32

    /// Bytes per sample: 1, 2 or 4.
    public var bytes: Int {
      switch self {
      case .uint8: 1
      case .uint16: 2
      case .float32: 4
      }
    }

    /// The sample value that means full scale: 255, 65535 or 1.
    public var fullScale: Float {
      switch self {
      case .uint8: 255
      case .uint16: 65535
      case .float32: 1
      }
    }

    /// The sample value that means full scale where samples are in the low bits of 16-bit words.
    ///
    /// - Parameter bits: how many; `nil` is all that there are.
    package func fullScale(bits: Int?) -> Float {
      guard self == .uint16, let bits else { return fullScale }
      return Float(1 << bits - 1)
    }
  }
}

/// What the color samples of a pixel mean beside its alpha.
public enum AlphaMode: Sendable, Hashable, CaseIterable {
  /// No alpha channel, or one that is full everywhere.
  case opaque
  /// Colors are independent of alpha, as PNG stores them.
  case straight
  /// Colors are already multiplied by alpha.
  case premultiplied
}

extension PixelFormat {
  /// How sample values relate to light.
  public enum Transfer: Sendable, Hashable, CaseIterable {
    /// Encoded with the sRGB curve (or any display curve that is left alone).
    case encoded
    /// Proportional to light.
    case linear
  }
}
