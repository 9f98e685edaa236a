internal import Glibc

/// GPUImage's motion blur, with its formula: nine samples along a line.
///
/// They lie `blurSize · height / width` pixels apart along the angle, weigh .05 .09 .12 .15 .18 .15
/// .12 .09 .05, and are interpolated linearly. That the distance depends on the picture's shape is
/// GPUImage's; the blur whose length is in pixels is `Motion`.
public struct GPUImageMotion: Filter {
  /// Pixels between samples, times the width over the height; 0…100, 0 changes nothing.
  public var blurSize = 2.5
  /// Clockwise on the screen; 0 is along x.
  public var blurAngle = Angle(degrees: 0)

  public static let definition = FilterDefinition<GPUImageMotion>(
    "gpuimage-motion", "GPUImage's motion blur: nine samples along a line.",
    [
      .factor(
        "blur-size", \.blurSize, in: 0...100,
        "Pixels between samples, on a square picture; times height over width on others."),
      .angle("blur-angle", \.blurAngle, "Of the line: 0deg is along x, 90deg along y, clockwise."),
    ])

  public init() {}

  public init(blurSize: Double, blurAngle: Angle = Angle(degrees: 0)) {
    self.blurSize = blurSize
    self.blurAngle = blurAngle
  }

  /// Pixels between two samples, at most: what is read is nine times as wide.
  private static let longestStep = 1000.0

  public func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
    guard blurSize > 0 else { return source }
    let step = blurSize * Double(planner.size.height) / Double(planner.size.width)
    guard step <= GPUImageMotion.longestStep else {
      throw .badValue(
        filter: Self.definition.name, parameter: "blur-size", value: shortest(blurSize),
        accepted: "at most \(decimal(GPUImageMotion.longestStep / step * blurSize, places: 3)) for "
          + "a picture of \(planner.size), as samples are blur-size × height / width apart")
    }
    return planner.stencil(planner.withEdges(source), Stencil(taps(step: step)))
      .extended(x: nil, y: nil)
  }

  /// What the samples between pixels come to, as weights of pixels.
  private func taps(step: Double) -> [Stencil.Tap] {
    let (dx, dy) = (cos(blurAngle.radians) * step, sin(blurAngle.radians) * step)
    var weights: [SIMD2<Int>: Double] = [:]
    for (place, weight) in GPUImageWeights.samples {
      for (x, across) in Self.neighbors(dx * Double(place)) {
        for (y, down) in Self.neighbors(dy * Double(place)) {
          weights[SIMD2(x, y), default: 0] += weight * across * down
        }
      }
    }
    return weights.map { Stencil.Tap(dx: $0.key.x, dy: $0.key.y, weight: Float($0.value)) }
  }

  /// The two pixels that a position lies between, with their shares.
  private static func neighbors(_ position: Double) -> [(pixel: Int, share: Double)] {
    // Rounded to a millionth, so that whole positions are whole whatever the angle's sine.
    let rounded = (position * 1e6).rounded() / 1e6
    let low = rounded.rounded(.down)
    let part = rounded - low
    return [(Int(low), 1 - part), (Int(low) + 1, part)].filter { $0.1 > 0 }
  }
}
