internal import FrostglassCore

/// How the bytes of a picture's rows are laid out in a texture, four in each texel.
struct PackedPicture: Hashable {
  /// Texels per row where there are enough: short enough for every device.
  private static let width = 2048

  let format: PixelFormat
  /// The picture's.
  let size: Size
  /// The texture's; its last row may have texels that are of no matter.
  let texels: Size

  /// - Parameter longestSide: of a texture.
  init(_ size: Size, _ format: PixelFormat, longestSide: Int) {
    self.size = size
    self.format = format
    let count = (size.area * format.bytesPerPixel + 3) / 4
    // Wider where there would be too many rows.
    let width = min(count, max(PackedPicture.width, (count + longestSide - 1) / longestSide))
    texels = Size(width: width, height: (count + width - 1) / width)
  }
}
