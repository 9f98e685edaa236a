/// Which regions of a file are taken, and what of each.
public struct RegionFilter: Sendable, Hashable {
  /// From 0 to 1: regions with a lower score are left out, those without any are taken. `nil` takes all.
  public var minimumScore: Double?
  /// Only regions with one of these labels are taken, in capitals or not; empty takes all.
  public var labels: [String]
  /// Whether an outline is taken instead of a box, where a detector gives both.
  public var takesOutlines: Bool

  /// All of them, unless told otherwise.
  public init(minimumScore: Double? = nil, labels: [String] = [], takesOutlines: Bool = false) {
    self.minimumScore = minimumScore
    self.labels = labels
    self.takesOutlines = takesOutlines
  }

  /// How many regions were not taken.
  public struct LeftOut: Sendable, Hashable, CustomStringConvertible {
    /// With another label.
    public var byLabel = 0
    /// With one of the labels, and a score that is too low.
    public var byScore = 0

    /// None yet.
    public init() {}

    /// All of them.
    public var count: Int { byLabel + byScore }

    /// Such as `2 by score, 1 by label`.
    public var description: String {
      [(byScore, "score"), (byLabel, "label")].filter { $0.0 > 0 }.map { "\($0.0) by \($0.1)" }
        .joined(separator: ", ")
    }

    /// Counts those of another picture too.
    public static func += (left: inout LeftOut, right: LeftOut) {
      left.byLabel += right.byLabel
      left.byScore += right.byScore
    }
  }

  /// Those that are taken, of one picture.
  func taken(_ entries: [RegionsFile.Entry]) -> (regions: [Region], leftOut: LeftOut) {
    var leftOut = LeftOut()
    var regions: [Region] = []
    for entry in entries {
      var region = entry.region
      if !labels.isEmpty, !Self.isAmong(labels, region.label) {
        leftOut.byLabel += 1
      } else if let minimumScore, let score = region.score, score < minimumScore {
        leftOut.byScore += 1
      } else {
        if takesOutlines, let outline = entry.outline { region.shape = outline }
        regions.append(region)
      }
    }
    return (regions, leftOut)
  }

  fileprivate static func isAmong(_ labels: [String], _ label: String?) -> Bool {
    label.map { label in labels.contains { $0.lowercased() == label.lowercased() } } ?? false
  }
}

extension RegionsFile {
  /// Finds what cannot be meant by a filter in this file.
  ///
  /// - Returns: labels of the filter that no region here has.
  /// - Throws: `RegionsError.unfit` where the file has no scores, or none of the labels.
  public func check(_ filter: RegionFilter) throws(RegionsError) -> [String] {
    if filter.minimumScore != nil {
      let scores = entries.compactMap(\.region.score)
      guard !scores.isEmpty else {
        throw .unfit(path: path, reason: "its regions have no scores; leave out --min-score")
      }
      if let score = scores.first(where: { !(0...1).contains($0) }) {
        throw .unfit(
          path: path,
          reason: "there is a score of \(score); --min-score compares scores from 0 to 1")
      }
    }
    guard !filter.labels.isEmpty else { return [] }
    let labels = Set(entries.compactMap(\.region.label)).union(categories).sorted()
    guard !labels.isEmpty else {
      throw .unfit(path: path, reason: "its regions have no labels; leave out --labels")
    }
    let missing = filter.labels.filter { !RegionFilter.isAmong(labels, $0) }
    guard missing.count < filter.labels.count else {
      let shown = labels.prefix(12).joined(separator: ", ")
      throw .unfit(
        path: path,
        reason: "no region has the label \(missing.joined(separator: " or "))"
          + DidYouMean.hint(for: missing[0], in: labels) + "; there are \(shown)"
          + (labels.count > 12 ? " and \(labels.count - 12) more" : ""))
    }
    return missing
  }
}
