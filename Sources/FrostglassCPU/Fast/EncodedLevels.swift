internal import CKernels
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

  private init() {
    let least = [-Float.infinity] + (1...255).map { Self.leastLight(of: UInt8($0)) }
    let firstPart = Int(least[1].bitPattern >> 16)
    starts = (firstPart...Int(Float(1).bitPattern >> 16)).map { part in
      Self.level(of: Float(bitPattern: UInt32(part) << 16))
    }
    self.least = least + [.infinity]
  }

  /// The levels of light; not-a-number is 0.
  func encode(
    _ light: UnsafePointer<Float>, into levels: UnsafeMutablePointer<UInt8>, _ count: Int,
    _ kernels: fg_row_kernels
  ) {
    kernels.float_encode8(light, least, starts, levels, count)
  }

  /// The same, of an array.
  package func levels(of light: [Float], _ instructions: InstructionSet) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: light.count) { levels, count in
      if let start = levels.baseAddress {
        encode(light, into: start, light.count, instructions.kernels)
      }
      count = light.count
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
