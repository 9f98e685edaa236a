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

  /// The mask at another size: interpolated linearly where it grows, means of areas where it
  /// shrinks. What is not wholly 0 does not become 0 by rounding, nor full what is not wholly full.
  func stretched(to target: Size) -> MaskPicture {
    guard target != size else { return self }
    let columns = MaskPicture.shares(target.width, from: size.width)
    let rows = MaskPicture.shares(target.height, from: size.height)
    var result: [UInt16] = []
    result.reserveCapacity(target.area)
    var line = [Double](repeating: 0, count: size.width)
    for row in rows {
      for x in line.indices {
        line[x] = row.reduce(0) { $0 + Double(samples[$1.index * size.width + x]) * $1.share }
      }
      for column in columns {
        result.append(MaskPicture.rounded(column.reduce(0) { $0 + line[$1.index] * $1.share }))
      }
    }
    return MaskPicture(size: target, samples: result)
  }

  private static func rounded(_ value: Double) -> UInt16 {
    let full = 65535.0
    // Sums of shares are 1 but for rounding.
    if value > full - 1e-6 { return 65535 }
    return value > 1e-6 ? UInt16(min(max(value.rounded(), 1), full - 1)) : 0
  }

  /// For each target pixel the source pixels that make it, with their shares.
  private static func shares(_ count: Int, from source: Int) -> [[(index: Int, share: Double)]] {
    let ratio = Double(source) / Double(count)
    return (0..<count).map { target in
      guard ratio > 1 else {
        let place = min(max((Double(target) + 0.5) * ratio - 0.5, 0), Double(source - 1))
        let low = Int(place)
        let share = place - Double(low)
        return share > 0 ? [(low, 1 - share), (low + 1, share)] : [(low, 1)]
      }
      let (start, end) = (Double(target) * ratio, Double(target + 1) * ratio)
      let pixels = Int(start)..<min(Int(end.rounded(.up)), source)
      return pixels.map { pixel in
        (pixel, (min(end, Double(pixel + 1)) - max(start, Double(pixel))) / ratio)
      }
    }
  }
}
