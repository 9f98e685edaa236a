internal import CVips
package import FrostglassCore

extension Image {
  /// The image at another size.
  ///
  /// Values are averaged as they are encoded; colors count as much as their alpha.
  ///
  /// - Parameter size: both sides at least 1.
  /// - Throws: `DecodeError.codecUnavailable` where libvips does not work.
  package func scaled(to size: Size, _ kernel: ScalingKernel) throws(DecodeError) -> Image {
    precondition(size.width >= 1 && size.height >= 1, "an image has at least one pixel")
    guard size != self.size else { return self }
    if let failure = VipsRuntime.failure { throw .codecUnavailable(reason: failure.reason) }
    // What is premultiplied is averaged as any channel is.
    let format = alpha == .straight ? self.format : PixelFormat(.rgb, self.format.depth)
    let bytes = try mapped(
      { (failure: VipsFailure) in DecodeError.codecUnavailable(reason: failure.reason) },
      VipsImageHandle(copying: self).scaled(to: size, format, kernel).pixels())
    return try mapped(
      { (error: ImageError) in DecodeError.codecUnavailable(reason: error.description) },
      Image(size: size, format: self.format, alpha: alpha, transfer: transfer, bytes: bytes))
  }
}

extension VipsImageHandle {
  /// Returns an image whose rows are made by one thread, when libvips asks for them.
  ///
  /// - Parameters:
  ///   - base: the image whose width, samples and metadata it has; `nil` for an image without metadata.
  ///   - fill: writes the pixels of a region. The image keeps it.
  static func making(
    _ size: Size, bands: Int, _ format: VipsBandFormat = VIPS_FORMAT_UCHAR,
    _ interpretation: VipsInterpretation = VIPS_INTERPRETATION_MULTIBAND,
    over base: VipsImageHandle? = nil,
    filledBy fill: @escaping (UnsafeMutablePointer<VipsRegion>) throws(VipsFailure) -> Void
  ) throws(VipsFailure) -> VipsImageHandle {
    let maker = Unmanaged.passRetained(RegionMaker(fill)).toOpaque()
    func made(_ base: UnsafeMutablePointer<VipsImage>?) -> UnsafeMutablePointer<VipsImage>? {
      fgk_new_made(
        base, Int32(size.width), Int32(size.height), Int32(bands), format, interpretation,
        makeRegion, maker, releaseMaker)
    }
    guard let image = base.map({ $0.withPointer(made) }) ?? made(nil) else { throw .take() }
    let picture = VipsImageHandle(owning: image)
    picture.limitToOneThread()
    return picture
  }
}

/// The maker of an image's rows.
private final class RegionMaker {
  let fill: (UnsafeMutablePointer<VipsRegion>) throws(VipsFailure) -> Void

  init(_ fill: @escaping (UnsafeMutablePointer<VipsRegion>) throws(VipsFailure) -> Void) {
    self.fill = fill
  }
}

private func makeRegion(
  _ region: UnsafeMutablePointer<VipsRegion>?, _: UnsafeMutableRawPointer?,
  _ maker: UnsafeMutableRawPointer?, _: UnsafeMutableRawPointer?,
  _: UnsafeMutablePointer<gboolean>?
) -> Int32 {
  guard let region, let maker else { return -1 }
  let fill = Unmanaged<RegionMaker>.fromOpaque(maker).takeUnretainedValue().fill
  do throws(VipsFailure) { try fill(region) } catch {
    fgk_fail(error.reason)
    return -1
  }
  return 0
}

private func releaseMaker(_: UnsafeMutablePointer<VipsImage>?, _ maker: UnsafeMutableRawPointer?) {
  if let maker { Unmanaged<RegionMaker>.fromOpaque(maker).release() }
}

/// The kernel for resizing an image.
package enum ScalingKernel: Sendable, Hashable {
  /// A triangle: means and straight lines, nothing beyond the values that are there.
  case soft
  /// Lanczos, three lobes: as sharp as it gets, with faint overshoot at edges.
  case sharp

  fileprivate var vipsKernel: VipsKernel {
    switch self {
    case .soft: VIPS_KERNEL_LINEAR
    case .sharp: VIPS_KERNEL_LANCZOS3
    }
  }
}

extension VipsImageHandle {
  /// The image at another size, with colors counting as much as their alpha.
  ///
  /// - Parameter format: that of the samples.
  func scaled(
    to target: Size, _ format: PixelFormat, _ kernel: ScalingKernel
  ) throws(VipsFailure) -> VipsImageHandle {
    guard target != size else { return self }
    let x = Double(target.width) / Double(size.width)
    let y = Double(target.height) / Double(size.height)
    let maxAlpha = format.layout.hasAlpha ? Double(format.depth.fullScale) : 0
    // Growing looks up and down, so all rows have to be there.
    let source = x > 1 || y > 1 ? try inMemory() : self
    return try source.applying { fgk_scale($0, $1, x, y, kernel.vipsKernel, maxAlpha) }
  }
}

extension Image {
  /// The same image with 8-bit colors, gray three times; alpha stays where there is some.
  ///
  /// Samples that are out of range, which floating-point ones can be, become the nearest.
  package var eightBitColors: Image {
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

extension Image {
  /// The samples without gaps between rows; the image's own bytes where there are none.
  package var packedBytes: [UInt8] {
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
