import FrostglassCore
import TestSupport
import Testing

/// The pass of materials: its numbers and its error.
struct LumaCurveTests {
  static let material = MaterialColor(
    amount: 0.75, values: SIMD4(0.23, 0.52, 0.27, 0.255), saturation: 2, brightness: -0.1)

  /// The material's formula, one step after the other.
  static func formula(_ c: SIMD3<Double>, _ m: MaterialColor) -> SIMD3<Double> {
    let level = min(max((c * Luma.gpuimage.weights).sum(), 0), 1)
    let rest = 1 - level
    let v = m.values
    let outer = rest * rest * rest * v.x + level * level * level * v.w
    let bezier = outer + 3 * level * rest * rest * v.y + 3 * level * level * rest * v.z
    let mixed = c * (1 - m.amount) + bezier * m.amount
    let gray = SIMD3(repeating: (mixed * Luma.rec709.weights).sum())
    let rich = gray + m.saturation * (mixed - gray) + m.brightness
    return pointwiseMax(pointwiseMin(rich, SIMD3(repeating: 1)), .zero)
  }

  /// Returns the pass's result for an opaque color.
  static func applied(_ curve: LumaCurve, to c: SIMD3<Double>) -> SIMD3<Double> {
    let level = min(max((c * SIMD3<Double>(curve.luma)).sum(), 0), 1)
    let k = SIMD4<Double>(curve.curve)
    let lift = k.x + level * (k.y + level * (k.z + level * k.w))
    let rows = [curve.red, curve.green, curve.blue].map { (SIMD3<Double>($0) * c).sum() + lift }
    return SIMD3(rows[0], rows[1], rows[2]).clamped(
      lowerBound: .zero, upperBound: SIMD3(repeating: 1))
  }

  static func colors(_ count: Int, seed: UInt64) -> [SIMD3<Double>] {
    var random = TestImages.Random(seed: seed)
    return (0..<count).map { _ in
      SIMD3(Double(random.next()), Double(random.next()), Double(random.next()))
    }
  }

  @Test func thePassIsTheFormula() {
    let curve = Self.material.pass()
    for color in Self.colors(500, seed: 1) {
      let difference = Self.applied(curve, to: color) - Self.formula(color, Self.material)
      #expect(max(difference.max(), -difference.min()) < 1e-6, "\(color)")
    }
  }

  @Test func noIntensityChangesNothing() {
    let curve = Self.material.pass(intensity: 0)
    for color in Self.colors(50, seed: 2) {
      let difference = Self.applied(curve, to: color) - color
      #expect(max(difference.max(), -difference.min()) < 1e-6, "\(color)")
    }
  }

  /// No two colors get farther apart than the gain says, and some come near to it.
  @Test func theGainIsABoundAndNotALooseOne() throws {
    let curve = Self.material.pass()
    let gain = try Self.plannedGain(hasAlpha: false)
    var steepest = 0.0
    for color in Self.colors(3000, seed: 3) {
      for bits in 0..<8 {
        let step = SIMD3(0, 1, 2).mapped { bits >> $0 & 1 == 0 ? 1e-4 : -1e-4 }
        let change = Self.applied(curve, to: color + step) - Self.applied(curve, to: color)
        steepest = max(steepest, max(change.max(), -change.min()) / 1e-4)
      }
    }
    #expect(steepest <= gain * 1.001)
    #expect(steepest >= gain * 0.8)
  }

  /// The same on premultiplied colors, when alpha is wrong too.
  @Test func theGainHoldsWithAlpha() throws {
    let curve = Self.material.pass()
    let gain = try Self.plannedGain(hasAlpha: true)
    var random = TestImages.Random(seed: 4)
    for color in Self.colors(2000, seed: 5) {
      let alpha = 0.01 + 0.98 * Double(random.next())
      for bits in 0..<16 {
        let steps = (0..<4).map { bits >> $0 & 1 == 0 ? 1e-5 : -1e-5 }
        let moved = alpha + steps[3]
        let premultiplied = color * alpha + SIMD3(steps[0], steps[1], steps[2])
        let change =
          Self.applied(curve, to: premultiplied / moved) * moved
          - Self.applied(curve, to: color) * alpha
        #expect(max(change.max(), -change.min()) <= gain * 1.001 * 1e-5, "\(color) \(alpha)")
      }
    }
  }

  /// Returns the factor by which a plan multiplies the error of the image before the curve.
  private static func plannedGain(hasAlpha: Bool) throws -> Double {
    let input = Plan.Input(
      size: Size(width: 4, height: 4), format: hasAlpha ? .rgba8 : .rgb8,
      alpha: hasAlpha ? .straight : .opaque, transfer: .encoded)
    var style = Material(.chromeDark)
    style.sigma = 0
    let plan = try FilterChain(style).plan(for: input)
    let store = plan.slots[0].error.arithmetic
    return (plan.slots[1].error.arithmetic - store) / store
  }
}

extension SIMD3<Int> {
  fileprivate func mapped(_ value: (Int) -> Double) -> SIMD3<Double> {
    SIMD3<Double>(value(x), value(y), value(z))
  }
}
