import FrostglassCore
import Testing

/// Numbers as people read them.
@Suite struct DecimalsTests {
  @Test(arguments: [
    (0, 2, "0.00"), (1.005, 1, "1.0"), (2.25, 1, "2.3"), (-3.14159, 3, "-3.142"),
    (1234.5, 4, "1234.5000"),
    (0.0000004, 4, "0.0000"), (1.0 / 3, 4, "0.3333"), (1e9, 1, "1000000000.0"),
  ])
  func textHasSoManyDecimals(_ value: Double, _ places: Int, _ text: String) {
    #expect(value.text(places: places) == text)
  }

  @Test func roundingDropsWhatIsBeyond() {
    #expect(0.123456.rounded(places: 3) == 0.123)
    #expect(2.5.rounded(places: 0) == 3)
    #expect("\(2.0.rounded(places: 4))" == "2.0")
  }
}
