import FrostglassCPU
import FrostglassCore
import Testing

/// The tables for the sRGB curve against the curve.
struct EncodingTests {
  /// Light of all sizes, and the floats next to where each 8-bit level begins.
  static let lights: [Float] = {
    let even = (-1000...260_000).map { Float($0) / 250_000 }
    let small = (0...40_000).map { Float(bitPattern: UInt32($0) << 15) }
    let borders = (1...255).flatMap { level in
      let border = TransferCurve.decode((Float(level) - 0.5) / 255)
      return (-40...40).map { Float(bitPattern: UInt32(Int(border.bitPattern) + $0)) }
    }
    return even + small + borders + [.nan, .infinity, -.infinity, -1, 1]
  }()

  @Test(arguments: InstructionSet.allCases)
  func levelsAreExact(_ instructions: InstructionSet) {
    let expected = Self.lights.map { UInt8(TransferCurve.encode($0).clampedToUnit * 255 + 0.5) }
    #expect(EncodedLevels.table.levels(of: Self.lights, instructions) == expected)
  }

  /// The same bytes with every instruction set, and what is beyond the curve as the curve has it.
  @Test(arguments: InstructionSet.allCases)
  func theCurveIsClose(_ instructions: InstructionSet) {
    let encoded = EncodingCurve.encoded(Self.lights, instructions)
    let farthest = zip(Self.lights, encoded).filter(\.0.isFinite).map { light, value in
      abs(value - TransferCurve.encode(light))
    }
    // Each by itself: what is no number is no maximum.
    #expect(!farthest.isEmpty && farthest.allSatisfy { $0 < 0x1p-20 })
    let odd = EncodingCurve.encoded([.nan, -.infinity, 7, 1, 0, -1], instructions)
    #expect(odd[0].isNaN && odd[1] == -.infinity && odd[2] == TransferCurve.encode(7))
    #expect(odd[3...] == [1, 0, -1])
    let portable = EncodingCurve.encoded(Self.lights, .portable)
    #expect(encoded.map(\.bitPattern) == portable.map(\.bitPattern))
  }
}
