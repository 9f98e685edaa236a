internal import Glibc

/// A straight line through the pixel grid, walked in whole steps along the axis it is closer to.
///
/// Step i is i columns (or rows) on, and as many rows (or columns) down as the slope says, where the
/// two nearest samples are mixed. So every sample along the line counts once, whatever the angle;
/// across it, the mixing is a blur of at most 1/4 square pixel, 1/6 in the mean over all slopes.
struct Line {
  /// Whether steps go along x.
  private let alongX: Bool
  /// Samples along the other axis per step.
  let slope: Double
  /// Steps per pixel of length along the line: 1 down to 0.707.
  let stepsPerPixel: Double

  /// - Parameter angle: from the x axis, clockwise on the screen.
  init(angle: Angle) {
    let (x, y) = (cos(angle.radians), sin(angle.radians))
    alongX = abs(x) >= abs(y)
    stepsPerPixel = max(abs(x), abs(y))
    // Slopes that would move by less than 2⁻²⁰ of a sample in 1000 steps are none.
    slope = ((alongX ? y / x : x / y) * 0x1p30).rounded() * 0x1p-30
  }

  /// The taps at some steps.
  func stencil(_ weights: [(step: Int, weight: Double)]) -> Stencil {
    var offsets = WeightedOffsets()
    for (step, weight) in weights {
      let major = Double(step)
      // Fractions of 2⁻²⁰ are roundings.
      let minor = (major * slope * 0x1p20).rounded() * 0x1p-20
      offsets.add(weight, x: alongX ? major : minor, y: alongX ? minor : major)
    }
    return Stencil(offsets.taps)
  }

  /// How much steps of `spacing` blur across the line: the mean of `f (1 − f)` for fractions f.
  func softness(spacing: Int, count: Int) -> Double {
    guard count > 0 else { return 0 }
    let sum = (0..<count).reduce(0.0) { sum, index in
      let place = Double((index - count / 2) * spacing) * slope
      let fraction = place - place.rounded(.down)
      return sum + fraction * (1 - fraction)
    }
    return sum / Double(count)
  }
}
