internal import CVips
internal import FrostglassCore

extension VipsPicture {
  /// The part of a scaled, upright image that a resize keeps, with what it puts around.
  ///
  /// - Parameters:
  ///   - corner: the corner of the part. If it is `nil`, attention sets it.
  ///   - pixels: the format of the samples.
  func placed(
    _ placement: Resize.Placement, _ resize: Resize, corner: inout (x: Int, y: Int)?,
    _ pixels: PixelFormat
  ) throws(VipsFailure) -> VipsPicture {
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
        fg_crop($0, $1, Int32(x), Int32(y), Int32(kept.width), Int32(kept.height))
      }
    }
    guard placement.pads else { return result }
    let (x, y) = resize.corner(of: kept, in: placement.canvas)
    let background = resize.background.samples(of: pixels)
    return try result.applying {
      fg_embed(
        $0, $1, Int32(x), Int32(y), Int32(placement.canvas.width), Int32(placement.canvas.height),
        background, Int32(background.count))
    }
  }

  /// Returns the corner of the part of this size that people look at first.
  private func attention(_ size: Size) throws(VipsFailure) -> (x: Int, y: Int) {
    let part = try applying { fg_attention($0, $1, Int32(size.width), Int32(size.height)) }
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
      try VipsPicture(viewing: bytes, size: size, format: format)
        .scaled(to: placement.scaled, format, .sharp)
        .placed(placement, resize, corner: &corner, format)
        .pixels()
    }
  }
}
