internal import FrostglassCore

/// A filter that selects regions of a file, and their boxes or outlines.
public struct RegionFilter: Sendable, Hashable {
  /// From 0 to 1: regions with a lower score are left out, those without any are taken. `nil` takes all.
  public var minimumScore: Double?
  /// Only regions with one of these labels are taken, in capitals or not; empty takes all.
  public var labels: [String]
  /// True if outlines are taken instead of boxes, where a detector gives both.
  public var takesOutlines: Bool

  /// Creates a filter that takes all regions by default.
  public init(minimumScore: Double? = nil, labels: [String] = [], takesOutlines: Bool = false) {
    self.minimumScore = minimumScore
    self.labels = labels
    self.takesOutlines = takesOutlines
  }

  /// The number of regions that were left out.
  public struct LeftOut: Sendable, Hashable, CustomStringConvertible {
    /// The number of regions with another label.
    public var byLabel = 0
    /// The number of regions with one of the labels, but too low a score.
    public var byScore = 0

    /// None yet.
    public init() {}

    /// The number of all of them.
    public var count: Int { byLabel + byScore }

    /// Such as `2 by score, 1 by label`.
    public var description: String {
      [(byScore, "score"), (byLabel, "label")].filter { $0.0 > 0 }.map { "\($0.0) by \($0.1)" }
        .joined(separator: ", ")
    }

    /// Counts those of another image too.
    public static func += (left: inout LeftOut, right: LeftOut) {
      left.byLabel += right.byLabel
      left.byScore += right.byScore
    }
  }

  /// Returns the regions of one image that the filter takes.
  func taken(_ entries: [RegionsFile.Entry]) -> (regions: [Region], leftOut: LeftOut) {
    var leftOut = LeftOut()
    var regions: [Region] = []
    for entry in entries {
      var region = entry.region
      if !takes(label: region.label) {
        leftOut.byLabel += 1
      } else if !takes(score: region.score) {
        leftOut.byScore += 1
      } else {
        if takesOutlines, let outline = entry.outline { region.shape = outline }
        regions.append(region)
      }
    }
    return (regions, leftOut)
  }

  /// Returns true if the filter takes regions with this label.
  func takes(label: String?) -> Bool { labels.isEmpty || Self.isAmong(labels, label) }

  /// Returns true if the filter takes regions with this score.
  func takes(score: Double?) -> Bool {
    guard let minimumScore, let score else { return true }
    return score >= minimumScore
  }

  private static func isAmong(_ labels: [String], _ label: String?) -> Bool {
    label.map { label in labels.contains { $0.lowercased() == label.lowercased() } } ?? false
  }

  /// Finds what cannot be meant where these are all scores and labels that there are.
  ///
  /// - Parameter thing: the name of their owner, such as `region`.
  /// - Returns: labels of the filter that nothing has.
  /// - Throws: `RegionsError.unfit` where there are no scores, or none of the labels.
  func check(
    scores: [Double], labels known: Set<String>, of thing: String, path: String
  ) throws(RegionsError) -> [String] {
    if minimumScore != nil {
      guard !scores.isEmpty else {
        throw .unfit(path: path, reason: "its \(thing)s have no scores; leave out --min-score")
      }
      if let score = scores.first(where: { !(0...1).contains($0) }) {
        throw .unfit(
          path: path,
          reason: "there is a score of \(score); --min-score compares scores from 0 to 1")
      }
    }
    guard !labels.isEmpty else { return [] }
    let known = known.sorted()
    guard !known.isEmpty else {
      throw .unfit(path: path, reason: "its \(thing)s have no labels; leave out --labels")
    }
    let missing = labels.filter { !Self.isAmong(known, $0) }
    guard missing.count < labels.count else {
      let shown = known.prefix(12).joined(separator: ", ")
      throw .unfit(
        path: path,
        reason: "no \(thing) has the label \(missing.joined(separator: " or "))"
          + DidYouMean.hint(for: missing[0], in: known) + "; there are \(shown)"
          + (known.count > 12 ? " and \(known.count - 12) more" : ""))
    }
    return missing
  }
}

extension RegionsFile {
  /// Finds what cannot be meant by a filter in this file.
  ///
  /// - Returns: labels of the filter that no region here has.
  /// - Throws: `RegionsError.unfit` where the file has no scores, or none of the labels.
  public func check(_ filter: RegionFilter) throws(RegionsError) -> [String] {
    try filter.check(
      scores: entries.compactMap(\.region.score),
      labels: Set(entries.compactMap(\.region.label)).union(categories), of: "region", path: path)
  }
}
