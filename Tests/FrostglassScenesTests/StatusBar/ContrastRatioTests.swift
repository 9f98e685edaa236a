import FrostglassScenes
import FrostglassCore
import Testing

struct ContrastRatioTests {
  @Test func blackOnWhiteIs21() {
    #expect(abs(Color.black.contrastRatio(with: .white) - 21) < 1e-12)
    #expect(abs(Color.white.contrastRatio(with: .black) - 21) < 1e-12)
    #expect(Color.white.contrastRatio(with: .white) == 1)
  }

  /// #767676 is the lightest gray that has 4.5 on white, #949494 the lightest that has 3.
  @Test(arguments: [(0x76, 4.54), (0x77, 4.48), (0x94, 3.03), (0x95, 3.00)])
  func graysOnWhite(_ gray: (level: Int, ratio: Double)) {
    let color = Color(white: Double(gray.level) / 255)
    #expect(abs(color.contrastRatio(with: .white) - gray.ratio) < 0.005)
  }

  /// Pure red, green and blue have the luminances of the weights.
  @Test func primariesWeighWhatTheyWeigh() {
    #expect(abs(Color(red: 1, green: 0, blue: 0).relativeLuminance - 0.2126) < 1e-12)
    #expect(abs(Color(red: 0, green: 1, blue: 0).relativeLuminance - 0.7152) < 1e-12)
    #expect(abs(Color(red: 0, green: 0, blue: 1).relativeLuminance - 0.0722) < 1e-12)
    // (0.2126 + 0.05) : 0.05
    #expect(abs(Color(red: 1, green: 0, blue: 0).contrastRatio(with: .black) - 5.252) < 1e-9)
    #expect(Color(red: 2, green: -1, blue: 0).relativeLuminance == 0.2126)
  }

  @Test func theMiddleHasEqualContrastWithBoth() {
    let middle = ContrastRatio.middle(of: 0, 1)
    #expect(abs(middle - 0.179129) < 1e-6)
    #expect(abs(ContrastRatio.of(middle, 0) - ContrastRatio.of(middle, 1)) < 1e-12)
    // √21
    #expect(abs(ContrastRatio.of(middle, 0) - 4.582576) < 1e-6)
  }
}
