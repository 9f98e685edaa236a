import FrostglassScenes
import FrostglassCore
import TestSupport
import Testing

struct AutomaticContrastTests {
  private func content(_ luminances: [Double]) throws -> [StatusBarContent?] {
    var contrast = AutomaticContrast()
    return try luminances.enumerated().map { index, luminance in
      contrast.handle(try BackdropLuminance(mean: luminance), at: Double(index))
      return contrast.content
    }
  }

  @Test func theBandFollowsFromTheKeptRatio() throws {
    // 4 · 0.05 − 0.05 and 1.05 / 4 − 0.05
    #expect(abs(ContrastRules.standard.lightBelow - 0.15) < 1e-12)
    #expect(abs(ContrastRules.standard.darkAbove - 0.2125) < 1e-12)
    let none = try ContrastRules(keptRatio: 21)
    #expect(none.lightBelow == none.threshold)
    #expect(none.darkAbove == none.threshold)
    let wide = try ContrastRules(keptRatio: 3)
    #expect(abs(wide.lightBelow - 0.1) < 1e-12)
    #expect(abs(wide.darkAbove - 0.3) < 1e-12)
  }

  /// The contrast is at least 4.5 on grays and 3 on any color.
  @Test func withItsVeilContentCanAlwaysBeRead() throws {
    let rules = ContrastRules.standard
    let levels = stride(from: 0.0, through: 1, by: 0.25)
    let colors = levels.flatMap { r in
      levels.flatMap { g in levels.map { b in Color(red: r, green: g, blue: b) } }
    }
    for content in StatusBarContent.allCases {
      let text = Color(white: content == .dark ? 0 : 1)
      for color in colors {
        let backdrop = try BackdropLuminance(cells: [color.relativeLuminance])
        let veil = rules.veil(below: content, on: backdrop)
        let cover = text.components.x == 0 ? SIMD3(repeating: veil) : .zero
        let seen = color.components * (1 - veil) + cover
        let ratio = text.contrastRatio(with: Color(red: seen.x, green: seen.y, blue: seen.z))
        let isGray = color.red == color.green && color.green == color.blue
        #expect(ratio > (isGray ? 4.49 : 3), "\(content) on \(color): \(ratio)")
        let ratioOfText = text.contrastRatio(with: color)
        #expect((veil > 0) == (ratioOfText < 4.5), "\(color)")
      }
    }
    // The darkest cell decides for dark content, the brightest for light.
    let mixed = try BackdropLuminance(cells: [0, 0.3, 1])
    let black = try BackdropLuminance(mean: 0)
    #expect(rules.veil(below: .dark, on: mixed) == rules.veil(below: .dark, on: black))
    #expect(rules.veil(below: .light, on: black) == 0)
  }

  @Test func theFirstChoiceIsTheBest() throws {
    #expect(try content([0.178]) == [.light])
    #expect(try content([0.18]) == [.dark])
    #expect(try content([0]) == [.light])
    #expect(try content([1]) == [.dark])
    #expect(AutomaticContrast().content == nil)
    #expect(AutomaticContrast().report == nil)
  }

  @Test func keepsWhatIsThereInsideTheBand() throws {
    // Down: dark until it falls below 0.15. Up: light until it rises above 0.2125.
    #expect(
      try content([0.5, 0.2, 0.16, 0.151, 0.149, 0.17, 0.2, 0.212, 0.213])
        == [.dark, .dark, .dark, .dark, .light, .light, .light, .light, .dark])
  }

  @Test func aBackdropAroundTheThresholdDoesNotFlicker() throws {
    var contrast = AutomaticContrast()
    var changes = -1
    var before: StatusBarContent?
    for step in 0..<1000 {
      let wobble = step.isMultiple(of: 2) ? 0.02 : -0.02
      contrast.handle(try BackdropLuminance(mean: 0.179 + wobble), at: Double(step) / 60)
      if contrast.content != before { changes += 1 }
      before = contrast.content
    }
    #expect(changes == 0)
  }

  @Test func waitsForTheMinimumInterval() throws {
    let rules = try ContrastRules(minimumInterval: 0.5)
    var contrast = AutomaticContrast(rules)
    contrast.handle(try BackdropLuminance(mean: 0.8), at: 0)
    contrast.handle(try BackdropLuminance(mean: 0.05), at: 0.1)
    // The first change need not wait.
    #expect(contrast.content == .light)
    contrast.handle(try BackdropLuminance(mean: 0.8), at: 0.2)
    contrast.advance(to: 0.59)
    #expect(contrast.content == .light)
    contrast.advance(to: 0.61)
    #expect(contrast.content == .dark)
    // What passes while it waits is forgotten.
    contrast.handle(try BackdropLuminance(mean: 0.05), at: 0.7)
    contrast.handle(try BackdropLuminance(mean: 0.8), at: 0.8)
    contrast.advance(to: 9)
    #expect(contrast.content == .dark)
  }

  @Test func reportsMeanAndWorstCell() throws {
    var contrast = AutomaticContrast()
    contrast.handle(try BackdropLuminance(cells: [1, 0.45, 0.05, 0.5]), at: 0)
    let report = try #require(contrast.report)
    #expect(report.content == .dark)
    #expect(abs(report.luminance - 0.5) < 1e-12)
    // 0.55 : 0.05 on the mean, 0.1 : 0.05 on the darkest cell.
    #expect(abs(report.ratio - 11) < 1e-12)
    #expect(abs(report.worstRatio - 2) < 1e-12)
    #expect(report.worstCell == 2)
    contrast.handle(try BackdropLuminance(mean: 0.5), at: 1)
    #expect(contrast.report?.worstCell == nil)
    #expect(contrast.report?.worstRatio == contrast.report?.ratio)
  }

  @Test func colorsOfItsOwnMoveTheThreshold() throws {
    // Luminances 0 and, for #808080, 0.2158605: √(0.05 · 0.2658605) − 0.05 = 0.0652954.
    let rules = try ContrastRules(dark: .black, light: Color(white: 128.0 / 255), keptRatio: 2)
    #expect(abs(rules.threshold - 0.0652954) < 1e-6)
    // 2 · 0.05 − 0.05 and 0.2658605 / 2 − 0.05
    #expect(abs(rules.lightBelow - 0.05) < 1e-12)
    #expect(abs(rules.darkAbove - 0.08293025) < 1e-6)
    #expect(rules.content(on: 0.07, keeping: nil) == .dark)
    #expect(rules.content(on: 0.06, keeping: nil) == .light)
  }

  @Test func refusesWhatCannotBe() {
    #expect(throws: ContrastError.self) { try ContrastRules(keptRatio: 0.5) }
    #expect(throws: ContrastError.self) { try ContrastRules(minimumInterval: .infinity) }
    #expect(throws: ContrastError.self) { try ContrastRules(dark: .white, light: .black) }
    #expect(throws: ContrastError.noCells) { try BackdropLuminance(cells: []) }
    let error = #expect(throws: ContrastError.self) { try BackdropLuminance(cells: [0.5, 1.5]) }
    #expect(
      error?.description == "the luminance of cell 1 cannot be 1.5; it can be from 0 to 1")
    #expect(throws: ContrastError.self) { try BackdropLuminance(mean: .nan) }
  }

  /// A million random luminances: content stays while its contrast is 4 or more, and none that is
  /// kept has less.
  @Test func contentOnTheMeanNeverHasLessThanTheKeptRatio() throws {
    var random = SplitMix(state: 3)
    var contrast = AutomaticContrast()
    var luminance = 0.5
    var wrong = 0
    for step in 0..<1_000_000 {
      luminance = min(max(luminance + Double.random(in: -0.05...0.05, using: &random), 0), 1)
      let before = contrast.content
      contrast.handle(try BackdropLuminance(mean: luminance), at: Double(step) / 120)
      guard let report = contrast.report else {
        wrong += 1
        continue
      }
      if !(report.ratio >= 4 - 1e-9 && report.ratio <= 21) { wrong += 1 }
      if let before, before != report.content,
        ContrastRules.standard.ratio(of: before, on: luminance) >= 4 + 1e-9
      {
        wrong += 1
      }
    }
    #expect(wrong == 0)
  }
}
