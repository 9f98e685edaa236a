import FrostglassCore
import FrostglassOptions
import Testing

/// Filters that hide what they cover, and others.
@Suite struct CoverCheckTests {
  @Test(arguments: [
    "none", "blur(0px)", "blur(0.3px)", "gaussian(1)", "gaussian(30, 0)", "box(1)", "pixelate(2)",
    "brightness(1)", "brightness(50%)", "contrast(10%)", "contrast(10)", "opacity(10%)",
    "invert(1)",
    "hue-rotate(90deg)", "grayscale(1)", "grain(80%)", "median(1)", "tint(white, 90%)",
    "motion(40px)", "zoom()", "spin()", "tilt-shift(20)", "progressive-blur(40)", "bilateral()",
    "drop-shadow(4px 4px 9px black)", "tilt-shift(20px, 0.5, 0.5, 0.12, 0)",
    "selective-blur(20px, 0.5, 0.5, 9%, 0px)", "gaussian(20) mix(55%)",
    "motion(40px, 45deg)", "motion(40px, 135deg)", "glass()",
  ])
  func filtersThatLeaveDetailsDoNotHide(_ text: String) throws {
    let chain = try FilterChain(text: text)
    #expect { try CoverCheck.demand(chain, PlanOptions()) } throws: {
      let failure = $0 as? Failure
      return failure?.kind == .usage && failure?.message.contains("--find") == true
    }
  }

  @Test(arguments: [
    "blur(3px)", "gaussian(20)", "gaussian(3%)", "box(8)", "triple-box(9)", "kawase(9)",
    "lens(12px)",
    "pixelate(16)", "tint(black, 100%)", "brightness(0)", "blur(20px) saturate(180%)",
    "gaussian(9) grain(20%)", "ios-blur()", "blur(9px) opacity(50%)",
  ])
  func strongBlursAndPlainColorsHide(_ text: String) throws {
    try CoverCheck.demand(FilterChain(text: text), PlanOptions())
  }

  /// Lengths in points have as many pixels as the scale says.
  @Test func theScaleCounts() throws {
    let chain = try FilterChain(text: "gaussian(1pt)")
    #expect(throws: Failure.self) { try CoverCheck.demand(chain, PlanOptions()) }
    try CoverCheck.demand(chain, PlanOptions(scale: 3))
  }
}
