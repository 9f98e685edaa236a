internal import FrostglassCore

/// The 8-bit level that light is encoded as, exactly as the sRGB curve and rounding would have it.
///
/// A float's upper 16 bits, exponent and 7 bits of fraction, divide 0…1 so finely that no two levels
/// begin in the same part. A table says which level a part begins with; where it goes over to the
/// next is found in another.
package struct EncodedLevels: Sendable {
  package static let table = EncodedLevels()

  /// The least light of each level; level 0 has none.
  private let least: [Float]
  /// For each part, from that of level 1's least light on, the level of its first value.
  private let starts: [UInt8]
  private let firstPart: Int

  private init() {
    let least = [-Float.infinity] + (1...255).map { Self.leastLight(of: UInt8($0)) }
    let firstPart = Int(least[1].bitPattern >> 16)
    starts = (firstPart...Int(Float(1).bitPattern >> 16)).map { part in
      Self.level(of: Float(bitPattern: UInt32(part) << 16))
    }
    self.least = least + [.infinity]
    self.firstPart = firstPart
  }

  /// The level of light; not-a-number is 0.
  @inline(__always)
  package func level(of light: Float) -> UInt8 {
    least.withUnsafeBufferPointer { least in
      starts.withUnsafeBufferPointer { starts in
        guard light >= least[1] else { return 0 }
        guard light < 1 else { return 255 }
        let start = starts[Int(light.bitPattern >> 16) &- firstPart]
        return start &+ (light >= least[Int(start) &+ 1] ? 1 : 0)
      }
    }
  }

  /// What the table saves.
  private static func level(of light: Float) -> UInt8 {
    UInt8(TransferCurve.encode(light).clampedToUnit * 255 + 0.5)
  }

  /// Bisects the floats between 0 and 1, whose bit patterns are in their order.
  private static func leastLight(of level: UInt8) -> Float {
    var below: UInt32 = 0
    var least = Float(1).bitPattern
    while least - below > 1 {
      let middle = below + (least - below) / 2
      if Self.level(of: Float(bitPattern: middle)) >= level {
        least = middle
      } else {
        below = middle
      }
    }
    return Float(bitPattern: least)
  }
}
