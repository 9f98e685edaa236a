internal import FrostglassCore

extension Blend {
  /// Each pixel from the sources' pixels in the same place.
  func reference(_ sources: [SourceRows], into slot: Slot) -> WorkingImage {
    var picture = WorkingImage(slot)
    picture.fillRows { y, target in
      mix(
        BlendRow(sources[0], y), BlendRow(sources[1], y),
        mask: sources.count > 2 ? BlendRow(sources[2], y) : nil, y, slot, into: target)
    }
    return picture
  }

  private func mix(
    _ first: BlendRow, _ second: BlendRow, mask: BlendRow?, _ y: Int, _ slot: Slot,
    into target: UnsafeMutableBufferPointer<Float>
  ) {
    for (index, x) in slot.domain.columns.enumerated() {
      let value: SIMD4<Float> =
        if let mask {
          masked(first, second, mask, x, y)
        } else {
          mixed(first.pixel(x), second.pixel(x))
        }
      setPixel(target, index, slot.layout, value)
    }
  }

  /// Reads only what shows.
  private func masked(
    _ first: BlendRow, _ second: BlendRow, _ mask: BlendRow, _ x: Int, _ y: Int
  ) -> SIMD4<Float> {
    if let secondPart, !secondPart.contains(x, y) { return first.pixel(x) }
    if let firstPart, !firstPart.contains(x, y) { return second.pixel(x) }
    return Blend.mixed(first.pixel(x), second.pixel(x), mask.pixel(x).x)
  }

  /// One of two pixels or a mix; what does not show is not looked at, as it may be no number.
  @inline(__always)
  static func mixed(
    _ first: SIMD4<Float>, _ second: SIMD4<Float>, _ amount: Float
  ) -> SIMD4<Float> {
    if amount == 0 { return first }
    if amount == 1 { return second }
    return first * (1 - amount) + second * amount
  }

  /// The modes with two sources.
  @inline(__always)
  func mixed(_ a: SIMD4<Float>, _ b: SIMD4<Float>) -> SIMD4<Float> {
    switch mode {
    case .mix(let amount): a * (1 - amount) + b * amount
    case .masked: a
    case .over: a + b * (1 - a.w)
    // Samples with a weight of 0 are not read: they may be NaN.
    case .multiply: b.x == 0 ? .zero : a * b.x
    case .divide:
      b.x < Blend.smallestDivisor ? .zero : (a / b.x).clamped(lowerBound: .zero, upperBound: .one)
    case .normalize:
      a.w < Blend.smallestDivisor
        ? b
        : (a * (b.w / a.w)).clamped(lowerBound: .zero, upperBound: SIMD4(repeating: b.w))
    case .normalizeAbove(let share):
      a.w == 0
        ? b
        : (a.w < share * b.w ? a / share + b * (1 - a.w / (share * b.w)) : a * (b.w / a.w))
          .clamped(lowerBound: .zero, upperBound: SIMD4(repeating: b.w))
    case .plusLighter: (a + b).clamped(lowerBound: SIMD4(repeating: -.infinity), upperBound: .one)
    }
  }
}

/// A source's row, read by absolute columns.
private struct BlendRow {
  private let picture: WorkingImage
  private let start: Int

  init(_ source: SourceRows, _ y: Int) {
    picture = source.picture
    start = picture.domain.rows.contains(y) ? picture.rowStart(y) : 0
  }

  func pixel(_ x: Int) -> SIMD4<Float> {
    picture.samples.withUnsafeBufferPointer { all in
      FrostglassCPU.pixel(
        UnsafeBufferPointer(rebasing: all[start...]), x - picture.domain.x, picture.layout)
    }
  }
}

extension Rect {
  /// Returns true if a pixel is in the rectangle.
  fileprivate func contains(_ x: Int, _ y: Int) -> Bool {
    columns.contains(x) && rows.contains(y)
  }
}
