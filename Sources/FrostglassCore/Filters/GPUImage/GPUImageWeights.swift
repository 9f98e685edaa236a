/// The nine weights that several of GPUImage's blurs share: .05 .09 .12 .15 .18 .15 .12 .09 .05.
enum GPUImageWeights {
  /// From the center outward; both sides counted, they sum to 1.
  static let half = [0.18, 0.15, 0.12, 0.09, 0.05]

  /// The weight of each of the samples −4…4.
  static let samples = (-4...4).map { (place: $0, weight: half[abs($0)]) }

  /// The filter whose samples lie `spacing` pixels apart and are interpolated linearly, as a
  /// texture's are, as symmetric weights of whole pixels.
  static func taps(spacing: Double) -> [Double] {
    let farthest = 4 * spacing
    var taps = [Double](repeating: 0, count: Int(farthest.rounded(.up)) + 1)
    for (place, weight) in samples {
      let position = Double(place) * spacing
      let low = position.rounded(.down)
      for (pixel, share) in [(Int(low), low + 1 - position), (Int(low) + 1, position - low)]
      where pixel >= 0 && share > 0 {
        taps[pixel] += weight * share
      }
    }
    return taps
  }
}
