internal import CKernels
internal import FrostglassCore

/// The sRGB curve from light to encoded values, between tabulated ones without `pow`.
///
/// From 0.0032 to 1, 256 pieces per doubling are straight lines, less than 2⁻²⁰ from the
/// curve: a sixteenth of a 16-bit level. Below, the curve is itself a line; elsewhere it is computed.
/// Plans have room for three times as much: they take what floats lose by loading alone 12.92 times.
package struct EncodingCurve: Sendable {
  package static let table = EncodingCurve()

  /// For each piece its first value, and what it gains per light.
  private let pieces: [SIMD2<Float>]
  private let firstPiece: Int

  /// Bits of a float's fraction that are within a piece.
  private static let bits: UInt32 = 15
  private static let lowest: Float = 1 / 512

  private init() {
    let first = Self.lowest.bitPattern >> Self.bits
    pieces = (first..<Float(1).bitPattern >> Self.bits).map { piece in
      let from = Float(bitPattern: piece << Self.bits)
      let to = Float(bitPattern: (piece + 1) << Self.bits)
      let value = TransferCurve.encode(from)
      return SIMD2(value, (TransferCurve.encode(to) - value) / (to - from))
    }
    firstPiece = Int(first)
  }

  /// Calls `body` with the table, ready to be asked many times.
  package func withPieces(_ body: (Pieces) -> Void) {
    pieces.withUnsafeBufferPointer { pieces in
      if let start = pieces.baseAddress { body(Pieces(start: start, first: firstPiece)) }
    }
  }

  /// The table while it stays where it is.
  package struct Pieces {
    fileprivate let start: UnsafePointer<SIMD2<Float>>
    fileprivate let first: Int

    /// The encoded value; odd around 0.
    @inline(__always)
    package func encode(_ light: Float) -> Float {
      let magnitude = abs(light)
      // The piece in which the curve's line ends is neither.
      guard magnitude >= 0.0032, magnitude < 1 else { return EncodingCurve.computed(light) }
      let bits = magnitude.bitPattern >> EncodingCurve.bits
      let piece = start[Int(bits) &- first]
      let value =
        piece.x + piece.y * (magnitude - Float(bitPattern: bits << EncodingCurve.bits))
      return light < 0 ? -value : value
    }
  }

  private static func computed(_ light: Float) -> Float {
    abs(light) <= 0.0031308 ? light * 12.92 : TransferCurve.encode(light)
  }
}

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
