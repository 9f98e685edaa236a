internal import FrostglassCore

extension Image {
  /// The same picture with 8-bit colors, gray three times; alpha stays where there is some.
  ///
  /// Samples that are out of range, which floating-point ones can be, become the nearest.
  var eightBitColors: Image {
    let target = PixelFormat(format.layout == .gray ? .rgb : format.layout, .uint8)
    guard format != target else { return self }
    var image = Image(zeros: size, format: target, alpha: alpha, transfer: transfer)
    let samples = eightBitSamples
    image.bytes = format.layout == .gray ? samples.flatMap { [$0, $0, $0] } : samples
    return image
  }

  /// All samples without gaps.
  private var eightBitSamples: [UInt8] {
    let packed = packedBytes
    return packed.withUnsafeBytes { raw in
      switch format.depth {
      case .uint8: Array(raw)
      case .uint16: raw.bindMemory(to: UInt16.self).map(\.eightBits)
      case .float32:
        raw.bindMemory(to: Float.self).map { UInt8($0.clampedToUnit * 255 + 0.5) }
      }
    }
  }
}

extension UInt16 {
  /// The nearest 8-bit level.
  var eightBits: UInt8 { UInt8((Int(self) + 128) / 257) }
}
