/// Channels and sample storage together.
public struct PixelFormat: Sendable, Hashable, CustomStringConvertible {
  /// The channels.
  public var layout: Layout
  /// The type of each sample.
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
  /// The channels of a pixel, in memory order.
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
    /// True if a pixel has its own alpha.
    public var hasAlpha: Bool { self == .rgba }
  }
}

extension PixelFormat {
  /// The type of a sample.
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
    /// - Parameter bits: the number of low bits; `nil` is all.
    package func fullScale(bits: Int?) -> Float {
      guard self == .uint16, let bits else { return fullScale }
      return Float(1 << bits - 1)
    }
  }
}

/// The relation of a pixel's color samples to its alpha.
public enum AlphaMode: Sendable, Hashable, CaseIterable {
  /// No alpha channel, or one that is full everywhere.
  case opaque
  /// Colors are independent of alpha, as PNG stores them.
  case straight
  /// Colors are already multiplied by alpha.
  case premultiplied
}

extension PixelFormat {
  /// The relation of sample values to light.
  public enum Transfer: Sendable, Hashable, CaseIterable {
    /// Encoded with the sRGB curve (or any display curve that is left alone).
    case encoded
    /// Proportional to light.
    case linear
  }
}

/// A rectangle of whole pixels; `x`, `y` is its top left corner and may be negative.
public struct Rect: Sendable, Hashable, CustomStringConvertible {
  /// The left column.
  public var x: Int
  /// The top row.
  public var y: Int
  /// Columns; none where it is 0 or less.
  public var width: Int
  /// Rows; none where it is 0 or less.
  public var height: Int

  /// A rectangle of whole pixels.
  public init(x: Int, y: Int, width: Int, height: Int) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// The rectangle spanned by columns and rows.
  public init(columns: Range<Int>, rows: Range<Int>) {
    self.init(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
  }

  /// The whole of an image.
  public init(_ size: Size) {
    self.init(x: 0, y: 0, width: size.width, height: size.height)
  }

  /// Its columns; the width must not be negative.
  public var columns: Range<Int> { x..<x + width }
  /// Its rows; the height must not be negative.
  public var rows: Range<Int> { y..<y + height }
  /// Its width and height.
  public var size: Size { Size(width: width, height: height) }
  /// Number of pixels.
  public var area: Int { width * height }
  /// True if no pixel is in it.
  public var isEmpty: Bool { width <= 0 || height <= 0 }

  /// Returns true if `other` lies wholly inside.
  public func contains(_ other: Rect) -> Bool {
    // Without sums, which could overflow for what a caller asks.
    x <= other.x && y <= other.y && other.width <= width && other.height <= height
      && other.x - x <= width - other.width && other.y - y <= height - other.height
  }

  /// The smallest rectangle that holds both.
  public func union(_ other: Rect) -> Rect {
    Rect(columns: columns.union(other.columns), rows: rows.union(other.rows))
  }

  /// The part inside `other`; where that is nothing, the pixel of `other` that is nearest.
  package func limited(to other: Rect) -> Rect {
    Rect(columns: columns.limited(to: other.columns), rows: rows.limited(to: other.rows))
  }

  /// The part inside `other`; may be empty.
  package func intersection(_ other: Rect) -> Rect {
    Rect(columns: columns.clamped(to: other.columns), rows: rows.clamped(to: other.rows))
  }

  /// Size and place in words.
  public var description: String {
    "\(width)×\(height)\(x < 0 ? "" : "+")\(x)\(y < 0 ? "" : "+")\(y)"
  }
}

extension Range<Int> {
  /// The smallest range that holds both.
  package func union(_ other: Range<Int>) -> Range<Int> {
    Swift.min(lowerBound, other.lowerBound)..<Swift.max(upperBound, other.upperBound)
  }

  /// The part inside `other`, at least one number of it.
  package func limited(to other: Range<Int>) -> Range<Int> {
    let low = Swift.min(Swift.max(lowerBound, other.lowerBound), other.upperBound - 1)
    let high = Swift.max(Swift.min(upperBound, other.upperBound), low + 1)
    return low..<high
  }

  /// The range widened by `amount` at both ends.
  package func expanded(by amount: Int) -> Range<Int> {
    lowerBound - amount..<upperBound + amount
  }
}

/// Integer division that rounds toward minus infinity, for coordinates that may be negative.
package func floorDivide(_ dividend: Int, _ divisor: Int) -> Int {
  let quotient = dividend / divisor
  return dividend % divisor != 0 && (dividend < 0) != (divisor < 0) ? quotient - 1 : quotient
}

/// The remainder that goes with `floorDivide`: 0 ..< divisor for every dividend.
package func floorModulo(_ dividend: Int, _ divisor: Int) -> Int {
  dividend - floorDivide(dividend, divisor) * divisor
}

/// The size of an image in pixels. Both sides are at least 1.
public struct Size: Sendable, Hashable, CustomStringConvertible {
  /// Pixels per row.
  public var width: Int
  /// Rows.
  public var height: Int

  /// A size in pixels; images have 1 or more of each.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// Number of pixels.
  public var area: Int { width * height }

  /// The shorter of the two sides, which percentages refer to.
  public var shorterSide: Int { min(width, height) }

  /// `640×480`.
  public var description: String { "\(width)×\(height)" }
}

/// A rule for reading beyond an image's own pixels.
public enum EdgeMode: String, Sendable, Hashable, CaseIterable {
  /// The nearest border pixel goes on for ever: `1 1 | 1 2 3 | 3 3`.
  case clamp
  /// The image is mirrored, the border pixel repeated: `2 1 | 1 2 3 | 3 2`.
  case mirror
  /// The image is mirrored at the middle of the border pixel, which is not repeated: `3 2 | 1 2 3 | 2 1`.
  /// OpenCV's usual border, and what torchvision and NumPy call reflect.
  case reflect101 = "reflect-101"
  /// The image repeats: `2 3 | 1 2 3 | 1 2`.
  case wrap
  /// Nothing is there: transparent black.
  case transparent

  /// The coordinate inside `range` that stands for `coordinate`; `nil` where nothing is there.
  public func resolve(_ coordinate: Int, in range: Range<Int>) -> Int? {
    if range.contains(coordinate) { return coordinate }
    let low = range.lowerBound
    let count = range.count
    switch self {
    case .clamp:
      return coordinate < low ? low : range.upperBound - 1
    case .wrap:
      return low + floorModulo(coordinate - low, count)
    case .mirror:
      let phase = floorModulo(coordinate - low, 2 * count)
      return low + (phase < count ? phase : 2 * count - 1 - phase)
    case .reflect101:
      // A single pixel cannot be mirrored.
      let last = count - 1
      let phase = floorModulo(coordinate - low, max(2 * last, 1))
      return low + min(phase, 2 * last - phase)
    case .transparent:
      return nil
    }
  }

  /// The part of `range` that is read when `wanted` is asked for; never empty.
  package func footprint(of wanted: Range<Int>, in range: Range<Int>) -> Range<Int> {
    if wanted.lowerBound >= range.lowerBound && wanted.upperBound <= range.upperBound {
      return wanted
    }
    switch self {
    case .clamp, .transparent:
      let low = min(max(wanted.lowerBound, range.lowerBound), range.upperBound - 1)
      let high = min(max(wanted.upperBound - 1, range.lowerBound), range.upperBound - 1)
      return low..<high + 1
    case .wrap:
      return range
    case .mirror, .reflect101:
      let below = range.lowerBound - wanted.lowerBound
      let above = wanted.upperBound - range.upperBound
      if below >= range.count || above >= range.count { return range }
      // Where the border pixel is not repeated, the one after it is read in its place.
      let further = self == .mirror ? 0 : 1
      var low = max(wanted.lowerBound, range.lowerBound)
      var high = min(wanted.upperBound, range.upperBound)
      if below > 0 {
        low = range.lowerBound
        high = max(high, range.lowerBound + below + further)
      }
      if above > 0 {
        high = range.upperBound
        low = min(low, range.upperBound - above - further)
      }
      return low..<high
    }
  }
}

/// A rule for reading a step's source along one axis beyond the source's own extent.
package struct AxisEdge: Sendable, Hashable {
  package var mode: EdgeMode
  /// The range of the image's own samples, in the source's grid.
  package var range: Range<Int>

  package init(_ mode: EdgeMode, _ range: Range<Int>) {
    self.mode = mode
    self.range = range
  }
}

extension AxisEdge {
  /// The edge of the image after a filter that reads samples at `offsets`, shrinking by `stride`;
  /// `nil` when nothing simple is left, and all that is wanted must be computed.
  ///
  /// - Parameter isSymmetric: whether the filter is its own mirror image along this axis.
  package func filtered(offsets: ClosedRange<Int>, stride: Int, isSymmetric: Bool) -> AxisEdge? {
    switch mode {
    case .clamp, .transparent:
      // From the first and last sample of the new range on, only the continuation is read.
      let first = floorDivide(range.lowerBound - offsets.upperBound, stride)
      let last = -floorDivide(-(range.upperBound - 1 - offsets.lowerBound), stride)
      return AxisEdge(mode, first..<last + 1)
    case .mirror, .wrap:
      // Borders must lie between two periods; a mirror also needs a filter that looks the same in it.
      guard floorModulo(range.lowerBound, stride) == 0, range.count % stride == 0,
        isSymmetric || mode == .wrap
      else { return nil }
      return AxisEdge(mode, range.lowerBound / stride..<range.upperBound / stride)
    case .reflect101:
      // Mirrored at pixels, it stays so where the filter's middle is one.
      guard stride == 1, isSymmetric, offsets.lowerBound == -offsets.upperBound else { return nil }
      return self
    }
  }

  /// The edge of the image after symmetric taps that read `radius` to each side.
  package func convolved(radius: Int) -> AxisEdge? {
    filtered(offsets: -radius...radius, stride: 1, isSymmetric: true)
  }

  /// The edge of the image after halving with samples 2i−1 … 2i+2.
  func halved() -> AxisEdge? { filtered(offsets: -1...2, stride: 2, isSymmetric: true) }
}
