public import FrostglassCore

extension Image {
  /// The picture at another size.
  ///
  /// Values are averaged as they are encoded; colors count as much as their alpha.
  ///
  /// - Parameter size: both sides at least 1.
  /// - Throws: `DecodeError.codecUnavailable` where libvips does not work.
  public func scaled(to size: Size, _ kernel: ScalingKernel) throws(DecodeError) -> Image {
    precondition(size.width >= 1 && size.height >= 1, "an image has at least one pixel")
    guard size != self.size else { return self }
    if let failure = VipsRuntime.failure { throw .codecUnavailable(reason: failure.reason) }
    // What is premultiplied is averaged as any channel is.
    let format = alpha == .straight ? self.format : PixelFormat(.rgb, self.format.depth)
    do throws(VipsFailure) {
      let picture = try VipsPicture(copying: self).scaled(to: size, format, kernel)
      let bytes = try picture.pixels()
      do throws(ImageError) {
        return try Image(
          size: size, format: self.format, alpha: alpha, transfer: transfer, bytes: bytes)
      } catch { throw VipsFailure(log: error.description) }
    } catch { throw .codecUnavailable(reason: error.reason) }
  }
}
