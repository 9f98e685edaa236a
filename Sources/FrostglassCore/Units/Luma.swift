/// Weights of red, green and blue in the brightness of a color, applied to encoded values.
public enum Luma: String, Sendable, Hashable, CaseIterable {
  /// Rec. 709: .2126, .7152, .0722; what iOS styles use.
  case rec709
  /// The rounding GPUImage's shaders use: .2125, .7154, .0721.
  case gpuimage
  /// The rounding of the CSS `saturate()` and `hue-rotate()` matrices: .213, .715, .072.
  case css

  /// Red, green and blue.
  public var weights: SIMD3<Double> {
    switch self {
    case .rec709: SIMD3(0.2126, 0.7152, 0.0722)
    case .gpuimage: SIMD3(0.2125, 0.7154, 0.0721)
    case .css: SIMD3(0.213, 0.715, 0.072)
    }
  }
}
