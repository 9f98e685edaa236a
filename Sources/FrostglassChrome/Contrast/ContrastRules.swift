public import FrostglassCore

/// When content becomes dark or light.
public struct ContrastRules: Sendable, Hashable {
  /// The color of dark content.
  public let dark: Color
  /// The color of light content.
  public let light: Color
  /// The contrast down to which content is kept, although the other would have more; from the
  /// ratio that both have at best, nothing is kept.
  public let keptRatio: Double
  /// How long content stays at least, in seconds.
  public let minimumInterval: Double

  private let darkLuminance: Double
  private let lightLuminance: Double

  /// Black and white, kept down to 4 to 1, changed at any time.
  public static let standard = ContrastRules(
    checkedDark: .black, light: .white, keptRatio: 4, minimumInterval: 0)

  /// - Parameters:
  ///   - dark: the color of dark content; alpha is left out of account.
  ///   - light: the color of light content, of higher luminance.
  ///   - keptRatio: 1…21. Low ones make changes rare and contrast poor.
  ///   - minimumInterval: in seconds, 0 or more.
  /// - Throws: `ContrastError` that names what is out of range.
  public init(
    dark: Color = .black, light: Color = .white, keptRatio: Double = 4, minimumInterval: Double = 0
  ) throws(ContrastError) {
    guard (1...21).contains(keptRatio) else {
      throw .badValue(name: "kept ratio", value: keptRatio, accepted: "from 1 to 21")
    }
    guard minimumInterval >= 0, minimumInterval.isFinite else {
      throw .badValue(
        name: "minimum interval", value: minimumInterval, accepted: "0 or more seconds")
    }
    guard light.relativeLuminance > dark.relativeLuminance else {
      throw .lightIsNotLighter(light: light, dark: dark)
    }
    self.init(
      checkedDark: dark, light: light, keptRatio: keptRatio, minimumInterval: minimumInterval)
  }

  private init(checkedDark dark: Color, light: Color, keptRatio: Double, minimumInterval: Double) {
    self.dark = dark
    self.light = light
    self.keptRatio = keptRatio
    self.minimumInterval = minimumInterval
    darkLuminance = dark.relativeLuminance
    lightLuminance = light.relativeLuminance
  }
}

extension ContrastRules {
  /// The luminance on which both contents have the same contrast.
  public var threshold: Double { ContrastRatio.middle(of: darkLuminance, lightLuminance) }

  /// Below this luminance dark content becomes light; at most the threshold.
  public var lightBelow: Double {
    min(threshold, keptRatio * (darkLuminance + ContrastRatio.flare) - ContrastRatio.flare)
  }

  /// Above this luminance light content becomes dark; at least the threshold.
  public var darkAbove: Double {
    max(threshold, (lightLuminance + ContrastRatio.flare) / keptRatio - ContrastRatio.flare)
  }

  /// What content is to be on a luminance.
  ///
  /// - Parameters:
  ///   - luminance: the backdrop's mean, 0…1.
  ///   - content: what it is now; `nil` for what is best.
  public func content(
    on luminance: Double, keeping content: StatusBarContent?
  ) -> StatusBarContent {
    switch content {
    case .dark: luminance < lightBelow ? .light : .dark
    case .light: luminance > darkAbove ? .dark : .light
    case nil: luminance < threshold ? .light : .dark
    }
  }

  /// The contrast ratio of content on a luminance, 1…21.
  public func ratio(of content: StatusBarContent, on luminance: Double) -> Double {
    ContrastRatio.of(content == .dark ? darkLuminance : lightLuminance, luminance)
  }
}
