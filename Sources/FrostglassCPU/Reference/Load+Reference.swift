internal import FrostglassCore

extension Load {
  /// Brings the part of `image` that `slot` asks for into the working space.
  func reference(_ image: Image, into slot: Slot) -> WorkingImage {
    var picture = WorkingImage(slot)
    let layout = slot.layout
    let full = image.format.depth.fullScale(bits: bits)
    image.withUnsafeBytes { bytes in
      picture.fillRows { y, row in
        for (index, x) in slot.domain.columns.enumerated() {
          setPixel(row, index, layout, working(image.pixel(x: x, y: y, in: bytes, full: full)))
        }
      }
    }
    return picture
  }

  /// One pixel: decoded and premultiplied.
  func working(_ pixel: SIMD4<Float>) -> SIMD4<Float> {
    let coverage = pixel.w
    var color = pixel
    color.w = 1
    if decodesToLinear {
      let straight = alpha == .premultiplied ? color.dividedBy(coverage) : color
      color = SIMD4(
        TransferCurve.decode(straight.x), TransferCurve.decode(straight.y),
        TransferCurve.decode(straight.z), 1)
      color *= alpha == .opaque ? 1 : coverage
    } else if alpha == .straight {
      color *= coverage
    }
    color.w = alpha == .opaque ? 1 : coverage
    return color
  }
}

extension Image {
  /// Red, green, blue and alpha as fractions of full scale.
  ///
  /// - Parameters:
  ///   - bytes: all of its bytes.
  ///   - full: the full scale of words, which are limited to it.
  @inline(__always)
  fileprivate func pixel(
    x: Int, y: Int, in bytes: UnsafeRawBufferPointer, full: Float
  ) -> SIMD4<Float> {
    let offset = y * bytesPerRow + x * format.bytesPerPixel
    func sample(_ channel: Int) -> Float {
      switch format.depth {
      case .uint8:
        Float(bytes[offset + channel]) / 255
      case .uint16:
        min(Float(bytes.loadUnaligned(fromByteOffset: offset + 2 * channel, as: UInt16.self)), full)
          / full
      case .float32:
        bytes.loadUnaligned(fromByteOffset: offset + 4 * channel, as: Float.self)
      }
    }
    switch format.layout {
    case .gray: return SIMD4(sample(0), sample(0), sample(0), 1)
    case .rgb: return SIMD4(sample(0), sample(1), sample(2), 1)
    case .rgba: return SIMD4(sample(0), sample(1), sample(2), sample(3))
    }
  }
}

extension SIMD4<Float> {
  /// The colors divided by an alpha; all zeros where it is 0.
  func dividedBy(_ alpha: Float) -> SIMD4<Float> {
    alpha > 0 ? SIMD4(x / alpha, y / alpha, z / alpha, w) : .zero
  }
}
