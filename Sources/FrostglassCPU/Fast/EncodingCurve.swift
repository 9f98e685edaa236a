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
