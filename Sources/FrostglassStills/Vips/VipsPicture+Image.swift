internal import CVips
internal import FrostglassCore

extension Image {
  /// The samples without gaps between rows; the image's own bytes where there are none.
  var packedBytes: [UInt8] {
    let rowBytes = size.width * format.bytesPerPixel
    guard bytesPerRow > rowBytes else { return bytes }
    var packed: [UInt8] = []
    packed.reserveCapacity(rowBytes * size.height)
    for y in 0..<size.height {
      packed += bytes[y * bytesPerRow..<y * bytesPerRow + rowBytes]
    }
    return packed
  }
}

extension PixelFormat {
  var bandFormat: VipsBandFormat {
    switch depth {
    case .uint8: VIPS_FORMAT_UCHAR
    case .uint16: VIPS_FORMAT_USHORT
    case .float32: VIPS_FORMAT_FLOAT
    }
  }

  /// The meaning libvips' savers expect of these samples.
  var interpretation: VipsInterpretation {
    switch (layout, depth) {
    case (.gray, .uint16): VIPS_INTERPRETATION_GREY16
    case (.gray, _): VIPS_INTERPRETATION_B_W
    case (_, .uint16): VIPS_INTERPRETATION_RGB16
    case (_, .float32): VIPS_INTERPRETATION_scRGB
    case (_, .uint8): VIPS_INTERPRETATION_sRGB
    }
  }
}

extension VipsPicture {
  /// Copies an image, for small ones.
  convenience init(copying image: Image) throws(VipsFailure) {
    let made = image.packedBytes.withUnsafeBytes { bytes in
      vips_image_new_from_memory_copy(
        bytes.baseAddress, bytes.count, Int32(image.size.width), Int32(image.size.height),
        Int32(image.format.layout.channels), image.format.bandFormat)
    }
    guard let made else { throw .take() }
    self.init(owning: made)
  }

  /// Looks at samples that stay where they are; valid only as long as `bytes` is.
  convenience init(
    viewing bytes: UnsafeRawBufferPointer, size: Size, format: PixelFormat
  ) throws(VipsFailure) {
    guard
      let made = vips_image_new_from_memory(
        bytes.baseAddress, bytes.count, Int32(size.width), Int32(size.height),
        Int32(format.layout.channels), format.bandFormat)
    else { throw .take() }
    self.init(owning: made)
  }
}
