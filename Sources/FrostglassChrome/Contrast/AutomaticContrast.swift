/// Picks dark or light content for the backdrop that is under it, and does not flicker.
///
/// The content with the higher contrast on the backdrop's mean luminance is best; for black and white
/// they are equal at √(1.05 · 0.05) − 0.05 ≈ 0.179. Content that is there is kept, though, as long as
/// its contrast is at least `keptRatio`: black down to `keptRatio · 0.05 − 0.05`, white up to
/// `1.05 / keptRatio − 0.05`. For the default of 4 that is the band from 0.15 to 0.2125.
public struct AutomaticContrast: Sendable, Hashable {
  /// The present, in seconds.
  public private(set) var time: Double?
  /// What the content is now; `nil` before a backdrop was seen.
  public private(set) var content: StatusBarContent?
  /// The rules it follows.
  public let rules: ContrastRules

  private var backdrop: BackdropLuminance?
  private var changedAt: Double?

  public init(_ rules: ContrastRules = .standard) {
    self.rules = rules
  }

  /// Takes note of the backdrop as it is from a time on.
  ///
  /// - Parameters:
  ///   - backdrop: its luminances.
  ///   - time: when, in seconds; before the present it counts as now.
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
  public var report: ContrastReport? {
    guard let content, let backdrop else { return nil }
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
