internal import FrostglassCore

/// The light that each level of an integer depth stands for.
struct DecodedLevels: Sendable {
  static let eightBits = DecodedLevels(most: 255)
  static let sixteenBits = DecodedLevels(most: 65535)

  /// By level.
  let light: [Float]

  private init(most: Int) {
    light = (0...most).map { TransferCurve.decode(Float($0) / Float(most)) }
  }
}
