/// Finds the word a person probably meant.
package enum DidYouMean {
  /// The nearest of `candidates`, when it is near enough to be worth offering.
  package static func nearest(to word: String, in candidates: [String]) -> String? {
    let typed = Array(word.lowercased())
    let ranked = candidates.map { (name: $0, distance: distance(typed, Array($0.lowercased()))) }
    guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= max(1, min(typed.count, best.name.count) / 3 + 1) ? best.name : nil
  }

  /// ` (did you mean x?)`, or nothing.
  package static func hint(for word: String, in candidates: [String]) -> String {
    nearest(to: word, in: candidates).map { " (did you mean \($0)?)" } ?? ""
  }

  /// Insertions, deletions, replacements and swaps of neighbors that turn one word into the other.
  private static func distance(_ first: [Character], _ second: [Character]) -> Int {
    var rows = [Array(0...second.count)]
    for (i, letter) in first.enumerated() {
      var row = [i + 1]
      for (j, other) in second.enumerated() {
        var best = min(rows[i][j] + (letter == other ? 0 : 1), rows[i][j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, letter == second[j - 1], first[i - 1] == other {
          best = min(best, rows[i - 1][j - 1] + 1)
        }
        row.append(best)
      }
      rows.append(row)
    }
    return rows[first.count][second.count]
  }
}
