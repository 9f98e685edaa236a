internal import FrostglassCore

extension Store {
  /// Brings the `rect` of the working image into the form the caller asked for.
  func reference(_ source: SourceRows, result: Plan.Result) -> Image {
    var image = Image(
      zeros: result.rect.size, format: format, alpha: alpha, transfer: result.transfer)
    let layout = source.picture.layout
    let first = result.rect.x - source.picture.domain.x
    for (top, y) in result.rect.rows.enumerated() {
      source.withRow(y) { row in
        guard let row else { return }
        image.fillRow(top, bits: bits) { x in finished(pixel(row, first + x, layout)) }
      }
    }
    return image
  }

  /// One pixel: composed, straight, encoded.
  private func finished(_ working: SIMD4<Float>) -> SIMD4<Float> {
    var color = working
    if let background { color = color.composed(on: background) }
    let coverage = color.w
    guard alpha == .straight || encodesFromLinear else { return color }
    if coverage != 1 { color = color.dividedBy(coverage) }
    if encodesFromLinear {
      color = SIMD4(
        TransferCurve.encode(color.x), TransferCurve.encode(color.y),
        TransferCurve.encode(color.z), color.w)
      if alpha == .premultiplied { color *= coverage }
    }
    color.w = coverage
    return color
  }
}

extension SIMD4<Float> {
  /// The pixel on an opaque color.
  @inline(__always)
  func composed(on background: SIMD3<Float>) -> SIMD4<Float> {
    var color = self + SIMD4(background, 1) * (1 - w)
    color.w = 1
    return color
  }
}

extension Image {
  /// Writes a row of pixels given as red, green, blue and alpha; a gray image takes the red.
  ///
  /// Integers are limited to 0…1 and rounded to nearest.
  ///
  /// - Parameter bits: the number of a word's low bits that are used; `nil` for all.
  mutating func fillRow(_ y: Int, bits: Int? = nil, _ pixel: (Int) -> SIMD4<Float>) {
    let channels = format.layout.channels
    let depth = format.depth
    let width = size.width
    let full = depth.fullScale(bits: bits)
    let start = y * bytesPerRow
    withUnsafeMutableBytes { raw in
      for x in 0..<width {
        let value = pixel(x)
        for channel in 0..<channels {
          let position = start + (x * channels + channel) * depth.bytes
          let sample = value[channel]
          switch depth {
          case .uint8:
            raw[position] = UInt8(sample.clampedToUnit * 255 + 0.5)
          case .uint16:
            raw.storeBytes(
              of: UInt16(sample.clampedToUnit * full + 0.5), toByteOffset: position,
              as: UInt16.self)
          case .float32:
            raw.storeBytes(of: sample, toByteOffset: position, as: Float.self)
          }
        }
      }
    }
  }
}
