internal import Frostglass
internal import FrostglassCore
internal import FrostglassFind

/// The contact sheet of things found in a video: at the edges of tracks, what was seen and is not covered, and what is
/// covered.
struct VideoReview {
  /// Places of one part, at most; the least certain ones of what is not covered, and the last tracks, are left out.
  static let mostPlaces = 300

  /// A place in a frame.
  struct Place {
    var frame: Int
    var box: FoundBox
    var words: String
  }

  private let places: [Place]
  private let title: String

  /// Chooses the places that are shown.
  init(_ outcome: VideoFind.Outcome) {
    let (found, frames) = (outcome.found, outcome.frames)
    let things = Dictionary(grouping: found.tracks, by: \.number)
      .sorted { (Int($0.key) ?? 0, $0.key) < (Int($1.key) ?? 0, $1.key) }
    var (edges, covered): ([Place], [Place]) = ([], [])
    for (number, tracks) in things {
      let own = tracks.flatMap(\.places)
      guard let first = own.min(by: { $0.frame < $1.frame }),
        let last = own.max(by: { $0.frame < $1.frame })
      else { continue }
      if first.frame > 0 {
        edges.append(Place(frame: first.frame - 1, box: first.box, words: "before \(number)"))
      }
      if last.frame + 1 < frames {
        let name = tracks.contains(where: \.leavesOff) ? "after \(number), lost" : "after \(number)"
        edges.append(Place(frame: last.frame + 1, box: last.box, words: name))
      }
      guard let best = own.max(by: { ($0.score ?? 0, $1.frame) < ($1.score ?? 0, $0.frame) })
      else { continue }
      covered.append(
        Place(frame: best.frame, box: best.box, words: Self.words(number, best.score)))
    }
    let open = found.leftAlone.map { thing in
      Place(
        frame: thing.frame, box: thing.box, words: Self.words("not covered", thing.score))
    }
    places = [edges, open, covered].flatMap { $0.prefix(Self.mostPlaces) }
    title =
      "Around tracks, then \(open.count) seen and not covered, then \(covered.count) covered"
  }

  /// The number of places that are shown.
  var count: Int { places.count }

  private static func words(_ what: some StringProtocol, _ score: Double?) -> String {
    score.map { "\(what) · \($0.rounded(places: 2))" } ?? "\(what)"
  }

  /// Writes the sheet.
  ///
  /// - Parameters:
  ///   - video: the video whose frames are shown.
  ///   - sheet: its pages.
  func write(
    of video: String, maxPixels: Int, by videos: any VideoFiles, on pipeline: Pipeline,
    to sheet: Review
  ) async throws {
    let wanted = Dictionary(grouping: places.indices, by: { places[$0].frame })
    var tiles = [DrawnTile?](repeating: nil, count: places.count)
    try await videos.view(
      video, in: nil, maxPixels: maxPixels, on: pipeline, wants: { wanted[$0] != nil },
      progress: { _ in }, note: { _ in }
    ) { frame, image throws(VideoFileError) in
      for index in wanted[frame] ?? [] {
        guard let bounds = places[index].box.bounds(in: image.size) else { continue }
        var tile = ReviewTile(
          ReviewPlace(
            bounds: bounds, picture: "\(video) · frame \(frame)", words: places[index].words),
          in: image.size)
        tile.add(image)
        tiles[index] = DrawnTile(tile)
      }
    }
    try sheet.write(tiles.compactMap { $0 }, title)
  }
}

extension FoundBox {
  /// The pixels that it touches; `nil` where it is outside.
  fileprivate func bounds(in size: Size) -> Rect? {
    let whole = FoundBox(left: 0, top: 0, right: Double(size.width), bottom: Double(size.height))
    guard overlaps(whole) else { return nil }
    let box = common(with: whole)
    let (x, y) = (Int(box.left), Int(box.top))
    return Rect(
      x: x, y: y, width: max(Int(box.right.rounded(.up)) - x, 1),
      height: max(Int(box.bottom.rounded(.up)) - y, 1))
  }
}
