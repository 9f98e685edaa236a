import FrostglassCore
import Glibc
import Testing

/// Powers of two by a polynomial, against the system's.
struct PowerOfTwoTests {
  /// Every octave from its beginning to its end, at places that share no divisor with its bits.
  @Test func powersAreAsCloseAsStated() {
    var most = 0.0
    for step in 0...1_000_003 {
      let exponent = -Float(step) * (100 / 1_000_003)
      let exact = exp2(Double(exponent))
      most = max(most, abs(Double(PowerOfTwo.power(exponent)) / exact - 1))
    }
    #expect(most <= PowerOfTwo.relativeError)
    // The bound says something only if it is nearly reached.
    #expect(most > 0.8 * PowerOfTwo.relativeError)
  }

  /// Around whole exponents, where one polynomial ends and the next begins.
  @Test func octavesMeet() {
    for octave in -100 ... -1 {
      let whole = Float(octave)
      for exponent in [whole.nextDown, whole, whole.nextUp] where exponent >= PowerOfTwo.least {
        let exact = exp2(Double(exponent))
        #expect(
          abs(Double(PowerOfTwo.power(exponent)) / exact - 1) <= PowerOfTwo.relativeError)
      }
    }
  }

  /// Smaller exponents and NaN give the least power.
  @Test func smallerOnesAreTheLeast() {
    let least = PowerOfTwo.power(PowerOfTwo.least)
    #expect(least > 0 && Double(least) < 8e-31)
    for exponent: Float in [-100.5, -126, -1e30, -.infinity, .nan] {
      #expect(PowerOfTwo.power(exponent) == least)
    }
  }
}
