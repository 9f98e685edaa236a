internal import CVips

/// How a picture is brought to another size.
public enum ScalingKernel: Sendable, Hashable {
  /// A triangle: means and straight lines, nothing beyond the values that are there.
  case soft
  /// Lanczos, three lobes: as sharp as it gets, with faint overshoot at edges.
  case sharp

  var vipsKernel: VipsKernel {
    switch self {
    case .soft: VIPS_KERNEL_LINEAR
    case .sharp: VIPS_KERNEL_LANCZOS3
    }
  }
}
