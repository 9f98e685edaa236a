extension Tracks {
  /// Leaves out tracks by label and score.
  ///
  /// A track stays or goes as a whole: it goes where all of its keys have scores and none is high enough. What
  /// is left out is there still, as something that covers nothing: the file has looked at the film as far as
  /// before.
  ///
  /// - Returns: how many tracks are left out, and labels of the filter that no track has.
  /// - Throws: `RegionsError.unfit` where the file has no scores or none of the labels, and `.allLeftOut`
  ///   where nothing is left to be covered.
  package mutating func take(
    _ filter: RegionFilter, path: String
  ) throws(RegionsError) -> (leftOut: RegionFilter.LeftOut, missing: [String]) {
    let missing = try filter.check(
      scores: tracks.lazy.flatMap(\.keys).compactMap(\.score),
      labels: Set(tracks.compactMap(\.label)), of: "track", path: path)
    var leftOut = RegionFilter.LeftOut()
    for index in tracks.indices {
      let track = tracks[index]
      let shown = track.keys.filter { $0.shape != nil }
      guard !shown.isEmpty else { continue }
      if !filter.takes(label: track.label) {
        leftOut.byLabel += 1
      } else if !shown.contains(where: { filter.takes(score: $0.score) }) {
        leftOut.byScore += 1
      } else {
        continue
      }
      for key in track.keys.indices { tracks[index].keys[key].shape = nil }
    }
    guard tracks.contains(where: { $0.keys.contains { $0.shape != nil } }) else {
      throw .allLeftOut(path: path, picture: nil, leftOut: leftOut)
    }
    return (leftOut, missing)
  }
}
