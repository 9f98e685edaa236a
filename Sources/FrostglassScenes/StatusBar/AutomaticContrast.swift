public import FrostglassCore
internal import Glibc

/// Picks dark or light content for the backdrop that is under it, and does not flicker.
///
/// The content with the higher contrast on the backdrop's mean luminance is best; for black and white
/// they are equal at √(1.05 · 0.05) − 0.05 ≈ 0.179. Content that is there is kept, though, as long as
/// its contrast is at least `keptRatio`: black down to `keptRatio · 0.05 − 0.05`, white up to
/// `1.05 / keptRatio − 0.05`. For the default of 4 that is the band from 0.15 to 0.2125.
public struct AutomaticContrast: Sendable, Hashable {
  /// The present, in seconds.
  public private(set) var time: Double?
  /// The current content; `nil` before a backdrop was seen.
  public private(set) var content: StatusBarContent?
  /// The rules it follows.
  public let rules: ContrastRules

  private var changedAt: Double?

  /// A choice by these rules; nothing is chosen yet.
  public init(_ rules: ContrastRules = .standard) {
    self.rules = rules
  }

  /// Records the backdrop from a time on.
  ///
  /// - Parameters:
  ///   - backdrop: its luminances.
  ///   - time: the time, in seconds; earlier than the present counts as now.
  public mutating func handle(_ backdrop: BackdropLuminance, at time: Double) {
    advance(to: time)
    guard self.time != nil else { return }
    self.backdrop = backdrop
    decide()
  }

  /// Goes on to a later time. A change that had to wait comes when its time has come.
  public mutating func advance(to time: Double) {
    guard time.isFinite, time > self.time ?? -.infinity else { return }
    self.time = time
    decide()
  }

  /// The contrast of the content on the backdrop that was seen last; `nil` before there was one.
  public var report: ContrastReport? { report(veil: 0) }

  /// The backdrop that was seen last; `nil` before there was one.
  public private(set) var backdrop: BackdropLuminance?

  /// The contrast on the backdrop that was seen last, with a veil over it, see `ContrastRules.veil`.
  public func report(veil: Double) -> ContrastReport? {
    guard let content, let seen = backdrop else { return nil }
    let backdrop = veil > 0 ? rules.veiled(seen, by: veil, below: content) : seen
    let ratios = backdrop.cells.map { rules.ratio(of: content, on: $0) }
    let mean = rules.ratio(of: content, on: backdrop.mean)
    let worst = ratios.indices.min { ratios[$0] < ratios[$1] }
    return ContrastReport(
      content: content, luminance: backdrop.mean, ratio: mean,
      worstRatio: worst.map { ratios[$0] } ?? mean, worstCell: worst)
  }

  private mutating func decide() {
    guard let backdrop, let time else { return }
    let wanted = rules.content(on: backdrop.mean, keeping: content)
    guard wanted != content else { return }
    if let changedAt, time - changedAt < rules.minimumInterval { return }
    // The first choice changes nothing that was seen; the next need not wait for it.
    if content != nil { changedAt = time }
    content = wanted
  }
}

/// The legibility of content on its backdrop, by WCAG 2: text needs a contrast of 4.5, large text and symbols of 3.
public struct ContrastReport: Sendable, Hashable {
  /// The content that was chosen.
  public var content: StatusBarContent
  /// The backdrop's mean relative luminance, 0…1.
  public var luminance: Double
  /// The contrast ratio on the mean, 1…21.
  public var ratio: Double
  /// The lowest contrast ratio on any cell; on the mean where there are no cells.
  public var worstRatio: Double
  /// The cell of the lowest ratio; `nil` without cells.
  public var worstCell: Int?
}

/// The rules for switching between dark and light content.
public struct ContrastRules: Sendable, Hashable {
  /// The color of dark content.
  public let dark: Color
  /// The color of light content.
  public let light: Color
  /// The contrast down to which content is kept, although the other would have more; from the
  /// ratio that both have at best, nothing is kept.
  public let keptRatio: Double
  /// The least time between changes of content, in seconds.
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

  /// Returns the content for a luminance.
  ///
  /// - Parameters:
  ///   - luminance: the backdrop's mean, 0…1.
  ///   - content: the current content; `nil` for the best.
  public func content(
    on luminance: Double, keeping content: StatusBarContent?
  ) -> StatusBarContent {
    switch content {
    case .dark: luminance < lightBelow ? .light : .dark
    case .light: luminance > darkAbove ? .dark : .light
    case nil: luminance < threshold ? .light : .dark
    }
  }

  /// Returns the alpha of a veil, 0…1, that gives content a contrast on every cell of a backdrop: white below dark
  /// content, black below light.
  ///
  /// It is computed for gray cells. On those the contrast is the requested ratio; on a saturated color a white veil
  /// gives less, for a ratio of 4.5 at least 3.
  ///
  /// - Parameter ratio: 1…21; a ratio that even the full veil does not reach needs all of it.
  public func veil(
    below content: StatusBarContent, on backdrop: BackdropLuminance, ratio: Double = 4.5
  ) -> Double {
    let cells = backdrop.cells.isEmpty ? [backdrop.mean] : backdrop.cells
    switch content {
    case .dark:
      let worst = ContrastRules.gray(cells.min() ?? 0)
      let needed = ContrastRules.gray(
        ratio * (darkLuminance + ContrastRatio.flare) - ContrastRatio.flare)
      return worst < needed ? ((needed - worst) / (1 - worst)).kept(in: 0...1) : 0
    case .light:
      let worst = ContrastRules.gray(cells.max() ?? 1)
      let needed = ContrastRules.gray(
        (lightLuminance + ContrastRatio.flare) / ratio - ContrastRatio.flare)
      return worst > needed ? (1 - needed / worst).kept(in: 0...1) : 0
    }
  }

  /// A backdrop's luminances below a veil, as of gray cells.
  public func veiled(
    _ backdrop: BackdropLuminance, by veil: Double, below content: StatusBarContent
  ) -> BackdropLuminance {
    func light(_ luminance: Double) -> Double {
      let gray = ContrastRules.gray(luminance) * (1 - veil) + (content == .dark ? veil : 0)
      return Color(white: gray).relativeLuminance.kept(in: 0...1)
    }
    let veiled = try? BackdropLuminance(
      mean: light(backdrop.mean), cells: backdrop.cells.map(light))
    return veiled ?? backdrop
  }

  /// The encoded gray of a luminance; below 0 counts as 0, above 1 as 1.
  private static func gray(_ luminance: Double) -> Double {
    Double(TransferCurve.encode(Float(luminance.kept(in: 0...1))))
  }

  /// The contrast ratio of content on a luminance, 1…21.
  public func ratio(of content: StatusBarContent, on luminance: Double) -> Double {
    ContrastRatio.of(content == .dark ? darkLuminance : lightLuminance, luminance)
  }
}

/// Why there are no such rules for contrast.
public enum ContrastError: Error, Sendable, Hashable, CustomStringConvertible {
  case badValue(name: String, value: Double, accepted: String)
  case lightIsNotLighter(light: Color, dark: Color)
  /// A cell's luminance is no number.
  case badLuminance(Double, cell: Int)
  case noCells

  /// The error message.
  public var description: String {
    switch self {
    case .badValue(let name, let value, let accepted):
      "the \(name) cannot be \(value); it can be \(accepted)"
    case .lightIsNotLighter(let light, let dark):
      "light content of \(light) is not lighter than dark content of \(dark)"
    case .badLuminance(let value, let cell):
      "the luminance of cell \(cell) cannot be \(value); it can be from 0 to 1"
    case .noCells: "a backdrop needs at least one luminance"
    }
  }
}

/// The contrast of two luminances as WCAG 2 counts it.
public enum ContrastRatio {
  /// Light that a screen reflects, added to both luminances.
  public static let flare = 0.05

  /// The lighter by the darker luminance, each with the flare: 1…21.
  ///
  /// - Parameters: relative luminances, 0…1; outside they count as 0 or 1.
  public static func of(_ first: Double, _ second: Double) -> Double {
    let first = min(max(first, 0), 1) + flare
    let second = min(max(second, 0), 1) + flare
    return max(first, second) / min(first, second)
  }

  /// The luminance that has the same contrast with two others: for black and white
  /// √(1.05 · 0.05) − 0.05 ≈ 0.179.
  public static func middle(of first: Double, _ second: Double) -> Double {
    ((first + flare) * (second + flare)).squareRoot() - flare
  }
}

extension Color {
  /// The relative luminance of WCAG 2, 0 for black and 1 for white. Alpha is left out of account.
  ///
  /// Channels outside 0…1 count as 0 or 1.
  public var relativeLuminance: Double {
    0.2126 * Color.light(red) + 0.7152 * Color.light(green) + 0.0722 * Color.light(blue)
  }

  /// The contrast ratio of WCAG 2 with another color, 1…21.
  public func contrastRatio(with other: Color) -> Double {
    ContrastRatio.of(relativeLuminance, other.relativeLuminance)
  }

  /// The light of an sRGB value. In double precision, so that black on white is 21 exactly.
  private static func light(_ value: Double) -> Double {
    let value = min(max(value, 0), 1)
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
  }
}

/// The luminance of a backdrop: its mean relative luminance, and that of the cells of a small grid.
public struct BackdropLuminance: Sendable, Hashable {
  /// 0…1.
  public let mean: Double
  /// The luminance of each cell, 0…1, in the caller's order; may be empty.
  public let cells: [Double]

  /// Cells of equal size; their mean is the mean.
  ///
  /// - Throws: `ContrastError` without cells, and for a luminance that is not from 0 to 1. What
  ///   rounding adds, up to 10⁻⁶, is cut off.
  public init(cells: [Double]) throws(ContrastError) {
    guard !cells.isEmpty else { throw .noCells }
    let checked = try BackdropLuminance.checked(cells)
    self.cells = checked
    mean = min(max(checked.reduce(0, +) / Double(checked.count), 0), 1)
  }

  /// A mean that the caller has computed, and cells that may be fewer than went into it.
  ///
  /// - Throws: `ContrastError.badLuminance` as above; the mean counts as cell −1.
  public init(mean: Double, cells: [Double] = []) throws(ContrastError) {
    self.mean = try BackdropLuminance.checked(mean, cell: -1)
    self.cells = try BackdropLuminance.checked(cells)
  }

  private static func checked(_ cells: [Double]) throws(ContrastError) -> [Double] {
    var result: [Double] = []
    result.reserveCapacity(cells.count)
    for (index, value) in cells.enumerated() { result.append(try checked(value, cell: index)) }
    return result
  }

  private static func checked(_ value: Double, cell: Int) throws(ContrastError) -> Double {
    guard (-1e-6...1 + 1e-6).contains(value) else { throw .badLuminance(value, cell: cell) }
    return min(max(value, 0), 1)
  }
}
