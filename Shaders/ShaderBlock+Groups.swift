package import FrostglassCore

/// Sums of whole numbers whose groups share what they fetch: a picture of bytes is shrunk by up to 8, and
/// convolved along both axes, in one dispatch each.
extension ShaderBlock {
  /// The block of two passes in one, of which the second reads around what the first one makes.
  ///
  /// - Returns: `nil` for all but a convolution along rows and one along columns, and halving what has been
  ///   shrunk by 4; for these too, where the window does not fit.
  package static func joining(_ first: Pass, _ second: Pass) -> ShaderBlock? {
    switch (first, second) {
    case (.convolve(let x), .convolve(let y)) where x.axis == .x && y.axis == .y: convolving(x, y)
    case (.resample(let first), .resample(let second))
    where first.isBoth(PyramidKernel.quartering) && second.isBoth(PyramidKernel.halving):
      shrinking(by: 4, columns: 62, rows: 18, halves: true)
    default: nil
    }
  }

  /// The block of a pass that shrinks bytes by 2 or 4; `nil` for other passes.
  static func shrinking(_ pass: Pass) -> ShaderBlock? {
    guard case .resample(let resample) = pass else { return nil }
    if resample.isBoth(PyramidKernel.halving) { return shrinking(by: 2, columns: 64, rows: 16) }
    if resample.isBoth(PyramidKernel.quartering) { return shrinking(by: 4, columns: 64, rows: 16) }
    return nil
  }

  /// - Parameters:
  ///   - columns: samples that a group makes beside each other, two invocations each.
  ///   - halves: whether these are halved once more.
  private static func shrinking(
    by factor: Int, columns: Int, rows: Int, halves: Bool = false
  ) -> ShaderBlock {
    let taps = factor == 2 ? 4 : 10
    let size =
      halves
      ? Size(width: columns / 2 - 1, height: rows / 2 - 1) : Size(width: columns, height: rows)
    let segment = columns + (taps + factor - 1) / factor
    let late = (taps - 1) / factor
    return ShaderBlock(
      size, sharedBytes: 4 * (factor * factor * segment + 2 * columns * rows),
      fetchesPerTarget: Double((factor * columns + taps - factor) * factor * (rows + late))
        / Double(size.area),
      PackageResources.shrink_glsl,
      [
        .init("WHOLE_TEXELS", true), .init("FACTOR", factor), .init("COLUMNS", columns),
        .init("ROWS", rows), .init("HALVES", halves), .init("LATE", late),
      ])
  }

  private static func convolving(_ x: Convolve, _ y: Convolve) -> ShaderBlock? {
    let blocks = [Size(width: 16, height: 16), Size(width: 16, height: 8)].map { size in
      let lines = size.height + 2 * y.radius
      let window = (size.width + 2 * x.radius) * lines
      return ShaderBlock(
        size, joinsPasses: true, sharedBytes: 8 * (window + size.width * lines),
        fetchesPerTarget: Double(window) / Double(size.area),
        PackageResources.convolve_both_glsl,
        [.init("RADIUS_X", x.radius), .init("RADIUS_Y", y.radius)])
    }
    return blocks.first { $0.sharedBytes <= leastSharedBytes }
  }
}

extension Resample {
  /// True if it does the same along both axes.
  fileprivate func isBoth(_ axis: Polyphase) -> Bool { x == axis && y == axis }
}
