/// Which channel of a picture is a mask.
public enum MaskChannel: String, Sendable, Hashable, CaseIterable {
  /// Alpha where the picture has an alpha channel, luma otherwise.
  case automatic = "auto"
  /// Rec. 709 luma of the encoded colors, times alpha.
  case luma
  case alpha
  case red
  case green
  case blue

  /// A pixel's share, 0…1, from straight values.
  func value(red: Float, green: Float, blue: Float, alpha: Float, hasAlpha: Bool) -> Float {
    switch self {
    case .automatic: hasAlpha ? alpha : luma(red, green, blue)
    case .luma: luma(red, green, blue) * alpha
    case .alpha: alpha
    case .red: red
    case .green: green
    case .blue: blue
    }
  }

  private func luma(_ red: Float, _ green: Float, _ blue: Float) -> Float {
    let weights = Luma.rec709.weights
    return Float(weights.x) * red + Float(weights.y) * green + Float(weights.z) * blue
  }
}

extension MaskPicture {
  /// A channel of a picture.
  public init(_ image: Image, _ channel: MaskChannel = .automatic) {
    let layout = image.format.layout
    let last = layout.channels - 1
    var samples: [UInt16] = []
    samples.reserveCapacity(image.size.area)
    for y in 0..<image.size.height {
      for x in 0..<image.size.width {
        func sample(_ index: Int) -> Float {
          image.sample(x: x, y: y, channel: layout == .gray ? 0 : index)
        }
        let alpha: Float = layout.hasAlpha ? image.sample(x: x, y: y, channel: last) : 1
        let divisor: Float = image.alpha == .premultiplied && alpha > 0 ? alpha : 1
        let value = channel.value(
          red: sample(0) / divisor, green: sample(1) / divisor, blue: sample(2) / divisor,
          alpha: alpha, hasAlpha: layout.hasAlpha)
        samples.append(UInt16(Float.minimum(1, Float.maximum(0, value)) * 65535 + 0.5))
      }
    }
    self.init(size: image.size, samples: samples)
  }

  /// The mask at another size, interpolated bilinearly.
  func stretched(to target: Size) -> MaskPicture {
    guard target != size else { return self }
    let columns = MaskPicture.places(target.width, from: size.width)
    let rows = MaskPicture.places(target.height, from: size.height)
    var result: [UInt16] = []
    result.reserveCapacity(target.area)
    for row in rows {
      for column in columns {
        func sample(_ x: Int, _ y: Int) -> Double { Double(samples[y * size.width + x]) }
        let top =
          sample(column.low, row.low) * (1 - column.share)
          + sample(column.high, row.low) * column.share
        let bottom =
          sample(column.low, row.high) * (1 - column.share)
          + sample(column.high, row.high) * column.share
        result.append(UInt16(top * (1 - row.share) + bottom * row.share + 0.5))
      }
    }
    return MaskPicture(size: target, samples: result)
  }

  /// For each target pixel the two source pixels around its center, and the second one's share.
  private static func places(
    _ count: Int, from source: Int
  ) -> [(low: Int, high: Int, share: Double)] {
    (0..<count).map { index in
      let place = (Double(index) + 0.5) * Double(source) / Double(count) - 0.5
      let limited = min(max(place, 0), Double(source - 1))
      let low = Int(limited)
      return (low, min(low + 1, source - 1), limited - Double(low))
    }
  }
}
