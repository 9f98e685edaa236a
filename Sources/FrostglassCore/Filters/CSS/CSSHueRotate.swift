internal import Glibc

/// CSS `hue-rotate()`: turns colors around the gray axis that has the weights .213 .715 .072.
///
/// Source of the formula: Filter Effects Module Level 1. The result is limited to 0…1.
public struct CSSHueRotate: Filter, CSSFunction {
  public var angle = Angle(degrees: 0)

  public static let definition = FilterDefinition<CSSHueRotate>(
    "hue-rotate", "CSS hue-rotate(): turns every hue.",
    [.angle("angle", \.angle, "0 and 360deg change nothing.")], example: "hue-rotate(90deg)")

  public init() {}

  public init(_ angle: Angle) { self.angle = angle }

  public func plan(_ source: Surface, with planner: inout Planner) -> Surface {
    let cosine = cos(angle.radians)
    let sine = sin(angle.radians)
    let rows = [
      row(.init(0.787, -0.715, -0.072), .init(-0.213, -0.715, 0.928), cosine, sine),
      row(.init(-0.213, 0.285, -0.072), .init(0.143, 0.140, -0.283), cosine, sine),
      row(.init(-0.213, -0.715, 0.928), .init(-0.787, 0.715, 0.072), cosine, sine),
    ]
    return planner.colorMatrix(source, ColorMatrix(rows: rows))
  }

  private func row(
    _ onCosine: SIMD3<Double>, _ onSine: SIMD3<Double>, _ cosine: Double, _ sine: Double
  ) -> SIMD4<Double> {
    SIMD4(Luma.css.weights + onCosine * cosine + onSine * sine, 0)
  }
}

extension Filter where Self == CSSHueRotate {
  /// CSS `hue-rotate()`.
  public static func hueRotate(_ angle: Angle) -> CSSHueRotate { CSSHueRotate(angle) }
}
