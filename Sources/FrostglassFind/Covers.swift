/// The boxes that cover things in the frames of a video, before it is known which of them count.
///
/// In a frame the boxes of one group that touch become one box around them, in whatever order they come: more boxes,
/// and groups that are joined, make covers larger and never smaller.
struct Covers {
  /// A box in a frame.
  struct Piece {
    var box: FoundBox
    /// A sighting of the group.
    var sighting: Int
    var source: FoundTrack.Source
    /// The highest score of those that were seen in this frame.
    var score: Double?
  }

  private(set) var frames: [Int: [Piece]] = [:]
  /// Sightings that are the same thing: each with another one of its group, or itself.
  private var leaders: [Int] = []

  /// Adds a sighting, in a group of its own.
  mutating func addSighting() { leaders.append(leaders.count) }

  /// The sighting that stands for a sighting's group.
  mutating func group(of sighting: Int) -> Int {
    var leader = sighting
    while leaders[leader] != leader {
      leaders[leader] = leaders[leaders[leader]]
      leader = leaders[leader]
    }
    return leader
  }

  /// Joins the groups of two sightings.
  mutating func join(_ one: Int, _ other: Int) {
    let (first, second) = (group(of: one), group(of: other))
    // The earliest sighting stands for all.
    leaders[max(first, second)] = min(first, second)
  }

  /// Covers a box in a frame.
  mutating func add(_ piece: Piece, in frame: Int) {
    var pieces = frames[frame, default: []]
    frames[frame] = nil
    add(piece, to: &pieces)
    frames[frame] = pieces
  }

  private mutating func add(_ piece: Piece, to pieces: inout [Piece]) {
    let own = group(of: piece.sighting)
    var whole = piece
    var index = 0
    while index < pieces.count {
      guard pieces[index].box.overlaps(whole.box), group(of: pieces[index].sighting) == own else {
        index += 1
        continue
      }
      if pieces[index].box.contains(whole.box) {
        pieces[index].merge(whole)
        return
      }
      whole.merge(pieces.remove(at: index))
      // What has grown may touch others, before which it has been.
      index = 0
    }
    pieces.append(whole)
  }

  /// Merges once more in all frames, after groups were joined.
  mutating func settle() {
    for frame in frames.keys {
      var pieces: [Piece] = []
      for piece in frames[frame] ?? [] { add(piece, to: &pieces) }
      frames[frame] = pieces
    }
  }
}

extension Covers.Piece {
  /// Takes another one's box in.
  fileprivate mutating func merge(_ other: Covers.Piece) {
    box = box.joined(with: other.box)
    source = max(source, other.source)
    sighting = min(sighting, other.sighting)
    if let theirs = other.score { score = max(score ?? theirs, theirs) }
  }
}
