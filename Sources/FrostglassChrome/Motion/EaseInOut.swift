/// UIKit's default curve: the cubic Bézier with the control points (0.42, 0) and (0.58, 1).
public enum EaseInOut {
  /// How far an animation is after a fraction of its time: 0 at 0, 1 at 1.
  ///
  /// - Parameter fraction: counts as 0 below 0 and as 1 above 1.
  public static func progress(_ fraction: Double) -> Double {
    guard fraction > 0 else { return 0 }
    guard fraction < 1 else { return 1 }
    // With these control points time is 1.26 s − 0.78 s² + 0.52 s³ and progress 3 s² − 2 s³ for s
    // from 0 to 1. Time's slope is between 0.87 and 1.26, so that Newton's steps cannot run away.
    var place = fraction
    for _ in 0..<6 {
      let time = ((0.52 * place - 0.78) * place + 1.26) * place
      let slope = (1.56 * place - 1.56) * place + 1.26
      place -= (time - fraction) / slope
    }
    place = min(max(place, 0), 1)
    return (3 - 2 * place) * place * place
  }
}
