internal import CVips
public import FrostglassCore

/// A new size for an image: a box, and how the image fits it.
///
/// One side may be `nil`; it then follows from the aspect ratio, or stays, for `.fill`.
public struct Resize: Sendable, Hashable {
  /// The fit of an image in a box of another aspect ratio.
  public enum Fit: String, Sendable, Hashable, CaseIterable {
    /// Scales to fit inside the box. Nothing is cropped; the result may be smaller than the box.
    case inside
    /// As `inside`, padded with background to the box.
    case contain
    /// Scales to cover the box, and crops.
    case cover
    /// Scales to the size of the box, distorting the image.
    case fill
  }

  /// The side or corner that stays when an image is cropped, and its position in a larger box.
  public enum Gravity: String, Sendable, Hashable, CaseIterable {
    case center, top, bottom, left, right
    case topLeft = "top-left"
    case topRight = "top-right"
    case bottomLeft = "bottom-left"
    case bottomRight = "bottom-right"
    /// The part that people look at first: edges, skin and strong colors, as libvips finds them. Of an animation
    /// the first frame decides.
    case attention
  }

  /// The box's width; `nil` follows from the height.
  public var width: Int?
  /// The box's height; `nil` follows from the width.
  public var height: Int?
  /// The fit of the image in the box.
  public var fit: Fit
  /// The part that `.cover` keeps, and the position of the image under `.contain`.
  public var gravity: Gravity
  /// Pixels of the result per pixel of the box.
  public var dpr: Double
  /// True if small images are enlarged. Otherwise `.inside` and `.contain` keep their size, and the box
  /// of `.cover` and `.fill` shrinks, with its aspect ratio.
  public var enlarges: Bool
  /// The color with which `.contain` pads images without alpha. Others are padded transparently.
  public var background: Color

  /// A box of this size; a width, a height or both.
  ///
  /// - Parameters:
  ///   - width: 1 to 1,000,000.
  ///   - height: 1 to 1,000,000.
  ///   - dpr: 0.1 to 10.
  public init(
    width: Int? = nil, height: Int? = nil, fit: Fit = .inside, gravity: Gravity = .center,
    dpr: Double = 1, enlarges: Bool = false, background: Color = .white
  ) {
    self.width = width
    self.height = height
    self.fit = fit
    self.gravity = gravity
    self.dpr = dpr
    self.enlarges = enlarges
    self.background = background
  }

  /// Returns the size of the result for an image.
  ///
  /// - Parameter own: the image's upright size.
  public func size(of own: Size) -> Size { placement(of: own).canvas }

  /// The larger of what an image is scaled to, before parts are cut off, and of the result.
  ///
  /// - Parameter own: the image's upright size.
  package func largest(of own: Size) -> Size {
    let placement = placement(of: own)
    return placement.scaled.area > placement.canvas.area ? placement.scaled : placement.canvas
  }

  /// True if libvips can hold what an image is scaled to, and the result.
  ///
  /// - Parameter own: the image's upright size.
  func isPossible(for own: Size) -> Bool {
    let placement = placement(of: own)
    return [placement.scaled, placement.canvas].allSatisfy {
      max($0.width, $0.height) <= VIPS_MAX_COORD
    }
  }
}

extension Resize {
  /// An image scaled, and what is cut off or put around.
  struct Placement: Sendable, Hashable {
    /// The size of the whole scaled image.
    var scaled: Size
    /// The result.
    var canvas: Size

    /// True if the image is larger than the result along a side.
    var cuts: Bool { scaled.width > canvas.width || scaled.height > canvas.height }
    /// True if the result is larger than the image along a side.
    var pads: Bool { scaled.width < canvas.width || scaled.height < canvas.height }
    /// The image's part that is in the result.
    var kept: Size {
      Size(
        width: min(scaled.width, canvas.width), height: min(scaled.height, canvas.height))
    }
  }

  /// Returns the placement of an image of this upright size.
  func placement(of own: Size) -> Placement {
    let (width, height) = (Double(own.width), Double(own.height))
    // Factors along each side up to the box.
    let x = self.width.map { Double($0) * dpr / width }
    let y = self.height.map { Double($0) * dpr / height }
    let box = Size(
      width: Self.pixels(width * (x ?? y ?? 1)), height: Self.pixels(height * (y ?? x ?? 1)))
    switch fit {
    case .inside, .contain:
      var factor = min(x ?? y ?? 1, y ?? x ?? 1)
      if !enlarges { factor = min(factor, 1) }
      let scaled = Size(
        width: min(Self.pixels(width * factor), box.width),
        height: min(Self.pixels(height * factor), box.height))
      let hasBox = fit == .contain && x != nil && y != nil
      return Placement(scaled: scaled, canvas: hasBox ? box : scaled)
    case .cover:
      let factor = max(x ?? y ?? 1, y ?? x ?? 1)
      let less = enlarges ? 1 : min(1, 1 / factor)
      let canvas = Size(
        width: Self.pixels(width * (x ?? factor) * less),
        height: Self.pixels(height * (y ?? factor) * less))
      let scaled = Size(
        width: max(Self.pixels(width * factor * less), canvas.width),
        height: max(Self.pixels(height * factor * less), canvas.height))
      return Placement(scaled: scaled, canvas: canvas)
    case .fill:
      let less = enlarges ? 1 : min(1, 1 / max(x ?? 1, y ?? 1))
      let scaled = Size(
        width: Self.pixels(width * (x ?? 1) * less), height: Self.pixels(height * (y ?? 1) * less))
      return Placement(scaled: scaled, canvas: scaled)
    }
  }

  /// Whole pixels along a side, so few that an area is a number, and more than `isPossible`.
  private static func pixels(_ side: Double) -> Int {
    Int(min(max(side.rounded(), 1), 268_435_456))
  }

  /// The shares of the free room to the left and above something smaller.
  private var shares: (x: Double, y: Double) {
    let x =
      switch gravity {
      case .left, .topLeft, .bottomLeft: 0.0
      case .right, .topRight, .bottomRight: 1.0
      case .center, .top, .bottom, .attention: 0.5
      }
    let y =
      switch gravity {
      case .top, .topLeft, .topRight: 0.0
      case .bottom, .bottomLeft, .bottomRight: 1.0
      case .center, .left, .right, .attention: 0.5
      }
    return (x, y)
  }

  /// The place of a smaller rectangle in a larger one.
  func corner(of inner: Size, in outer: Size) -> (x: Int, y: Int) {
    func share(_ room: Int, _ share: Double) -> Int { Int(Double(room) * share) }
    return (
      share(outer.width - inner.width, shares.x), share(outer.height - inner.height, shares.y)
    )
  }
}

extension VipsImageHandle {
  /// The part of a scaled, upright image that a resize keeps, with what it puts around.
  ///
  /// - Parameters:
  ///   - corner: the corner of the part. If it is `nil`, attention sets it.
  ///   - pixels: the format of the samples.
  func placed(
    _ placement: Resize.Placement, _ resize: Resize, corner: inout (x: Int, y: Int)?,
    _ pixels: PixelFormat
  ) throws(VipsFailure) -> VipsImageHandle {
    var result = self
    let kept = placement.kept
    if placement.cuts {
      if resize.gravity == .attention, corner == nil {
        // It looks at all of the image before the first row.
        result = try inMemory()
        corner = try result.attention(kept)
      }
      let (x, y) = corner ?? resize.corner(of: kept, in: placement.scaled)
      result = try result.applying {
        fgk_crop($0, $1, Int32(x), Int32(y), Int32(kept.width), Int32(kept.height))
      }
    }
    guard placement.pads else { return result }
    let (x, y) = resize.corner(of: kept, in: placement.canvas)
    let background = resize.background.samples(of: pixels)
    return try result.applying {
      fgk_embed(
        $0, $1, Int32(x), Int32(y), Int32(placement.canvas.width), Int32(placement.canvas.height),
        background, Int32(background.count))
    }
  }

  /// Returns the corner of the part of this size that people look at first.
  private func attention(_ size: Size) throws(VipsFailure) -> (x: Int, y: Int) {
    let part = try applying { fgk_attention($0, $1, Int32(size.width), Int32(size.height)) }
    return part.withPointer { (-Int($0.pointee.Xoffset), -Int($0.pointee.Yoffset)) }
  }
}

extension Color {
  /// Samples of this color around an image, transparent where that has alpha.
  fileprivate func samples(of pixels: PixelFormat) -> [Double] {
    let full = Double(pixels.depth.fullScale)
    switch pixels.layout {
    case .gray: return [(components * Luma.rec709.weights).sum() * full]
    case .rgb: return [red * full, green * full, blue * full]
    case .rgba: return [0, 0, 0, 0]
    }
  }
}

/// Rows at another size, made of the rows of frames that come from the top.
///
/// A frame is in memory for it, as a transparent or an animated image is anyway.
final class ResizedRows {
  /// The size of a frame before it is resized.
  private let size: Size
  private let format: PixelFormat
  private let resize: Resize
  private let placement: Resize.Placement
  /// The remaining rows of the current frame, and the position in them.
  private var rows: [UInt8] = []
  private var position = 0
  /// The corner at which the first frame was cropped.
  private var corner: (x: Int, y: Int)?

  /// - Parameter size: of a frame before it is resized.
  init(_ resize: Resize, size: Size, format: PixelFormat) {
    self.size = size
    self.format = format
    self.resize = resize
    placement = resize.placement(of: size)
  }

  /// Writes the next row.
  ///
  /// - Parameter read: writes the next row of the frames as they were.
  func next(
    into target: UnsafeMutableRawPointer, _ read: (UnsafeMutableRawPointer) throws -> Void
  ) throws {
    let count = placement.canvas.width * format.bytesPerPixel
    if position == rows.count {
      rows = []
      rows = try frame(read)
      position = 0
    }
    rows[position..<position + count].withUnsafeBytes { bytes in
      if let start = bytes.baseAddress { target.copyMemory(from: start, byteCount: count) }
    }
    position += count
  }

  private func frame(_ read: (UnsafeMutableRawPointer) throws -> Void) throws -> [UInt8] {
    let row = size.width * format.bytesPerPixel
    let bytes = try [UInt8](unsafeUninitializedCapacity: row * size.height) { buffer, count in
      for y in 0..<size.height {
        if let start = buffer.baseAddress { try read(UnsafeMutableRawPointer(start + y * row)) }
        count += row
      }
    }
    return try bytes.withUnsafeBytes { bytes in
      try VipsImageHandle(viewing: bytes, size: size, format: format)
        .scaled(to: placement.scaled, format, .sharp)
        .placed(placement, resize, corner: &corner, format)
        .pixels()
    }
  }
}
