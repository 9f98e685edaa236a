internal import CVips
internal import FrostglassCore

extension VipsPicture {
  /// The picture at another size, with colors counting as much as their alpha.
  ///
  /// - Parameter format: that of the samples.
  func scaled(
    to target: Size, _ format: PixelFormat, _ kernel: ScalingKernel
  ) throws(VipsFailure) -> VipsPicture {
    guard target != size else { return self }
    let x = Double(target.width) / Double(size.width)
    let y = Double(target.height) / Double(size.height)
    let maxAlpha = format.layout.hasAlpha ? Double(format.depth.fullScale) : 0
    // Growing looks up and down, so all rows have to be there.
    let source = x > 1 || y > 1 ? try inMemory() : self
    return try source.applying { fg_scale($0, $1, x, y, kernel.vipsKernel, maxAlpha) }
  }
}
