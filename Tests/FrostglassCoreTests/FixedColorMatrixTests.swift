import FrostglassCore
import TestSupport
import Testing

/// Color matrices in whole numbers, against the matrix itself.
@Suite struct FixedColorMatrixTests {
  private static func random(_ random: inout SplitMix, _ most: Float) -> ColorMatrix {
    func row() -> SIMD4<Float> {
      SIMD4(
        .random(in: -most...most, using: &random), .random(in: -most...most, using: &random),
        .random(in: -most...most, using: &random), .random(in: -1...1, using: &random))
    }
    return ColorMatrix(red: row(), green: row(), blue: row(), clamps: .random(using: &random))
  }

  @Test func resultsAreWithinTheBound() throws {
    var random = SplitMix(state: 11)
    var worst = 0.0
    for _ in 0..<400 {
      let matrix = Self.random(&random, [0.3, 1, 1.9].randomElement(using: &random) ?? 1)
      for isGray in [false, true] {
        let fixed = try #require(FixedColorMatrix(matrix, isGray: isGray))
        #expect(fixed.error < 1.0 / 2000)
        let rows = isGray ? [matrix.red] : [matrix.red, matrix.green, matrix.blue, [0, 0, 0, 1]]
        for _ in 0..<30 {
          // Corners of the cube are where bounds are reached.
          let color = SIMD4<Double>(
            .random(in: 0...1, using: &random).rounded(), .random(in: 0...1, using: &random),
            .random(in: 0...1, using: &random).rounded(), 1)
          for (row, exact) in zip(fixed.rows, rows) {
            let made = (SIMD4<Double>(row) / Double(1 << fixed.shift) * color).sum()
            let off = abs(made - (SIMD4<Double>(exact) * color).sum())
            #expect(off <= fixed.error + 1e-12)
            worst = max(worst, off / fixed.error)
          }
        }
      }
    }
    // The bound is near to what happens.
    #expect(worst > 0.8)
  }

  /// Factors that sum to 1 leave grays as they are, alpha stays, and so does what nothing changes.
  @Test func graysAndAlphaAreExact() throws {
    let chain = try FilterChain(text: "saturate(180%) hue-rotate(70deg) grayscale(40%)")
    let input = Plan.Input(
      size: Size(width: 4, height: 4), format: .rgba8, alpha: .premultiplied, transfer: .encoded)
    var matrices = 0
    for case .colorMatrix(let matrix) in try chain.plan(for: input).steps.map(\.pass) {
      matrices += 1
      let fixed = try #require(FixedColorMatrix(matrix, isGray: false))
      let one = Int32(1) << fixed.shift
      for row in fixed.rows[..<3] { #expect(row.x + row.y + row.z == one && row.w == 0) }
      #expect(fixed.rows[3] == [0, 0, 0, one])
    }
    #expect(matrices > 0)
    let same = try #require(FixedColorMatrix(ColorMatrix(scale: 1), isGray: false))
    #expect(same.error == 0)
  }

  @Test func largeFactorsAreNone() {
    #expect(FixedColorMatrix(ColorMatrix(scale: 200), isGray: false) == nil)
    #expect(FixedColorMatrix(ColorMatrix(scale: .infinity), isGray: true) == nil)
    #expect(FixedColorMatrix(ColorMatrix(scale: .nan), isGray: false) == nil)
  }
}
