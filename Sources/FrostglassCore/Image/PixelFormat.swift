/// Channels and sample storage together.
public struct PixelFormat: Sendable, Hashable, CustomStringConvertible {
  public var layout: Layout
  public var depth: Depth

  public init(_ layout: Layout, _ depth: Depth) {
    self.layout = layout
    self.depth = depth
  }

  public static let gray8 = PixelFormat(.gray, .uint8)
  public static let rgb8 = PixelFormat(.rgb, .uint8)
  public static let rgba8 = PixelFormat(.rgba, .uint8)

  /// Bytes per pixel.
  public var bytesPerPixel: Int { layout.channels * depth.bytes }

  /// Every combination of layout and depth.
  public static let all: [PixelFormat] = Layout.allCases.flatMap { layout in
    Depth.allCases.map { PixelFormat(layout, $0) }
  }

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
