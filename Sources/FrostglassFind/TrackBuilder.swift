/// Builds tracks from the covers of groups. A lane is a cover that continues from frame to frame.
///
/// A group in two places at once holds things that were confused, such as two people who cross. An ID ends where
/// covers meet or part, so that leaving one out leaves no other out.
struct TrackBuilder {
  private struct CoverChain {
    var group: Int
    var places: [FoundTrack.Place]
    var isSeen: Bool { places.contains { $0.source == .measured } }
    var frames: ClosedRange<Int> { places[0].frame...places[places.count - 1].frame }
  }

  private let size: FoundBox
  private var lanes: [CoverChain] = []
  /// Those that may go on in the next frame, with the box of the last one.
  private var open: [(lane: Int, frame: Int, box: FoundBox)] = []
  /// Groups that were seen in two places at once.
  private var confused: Set<Int> = []

  init(inside size: FoundBox) { self.size = size }

  /// Adds the covers of a frame.
  mutating func add(_ pieces: [(group: Int, piece: Covers.Piece)], in frame: Int, isFirst: Bool) {
    let before = isFirst ? [] : open.filter { $0.frame == frame - 1 }
    open = []
    let seen = Dictionary(
      grouping: pieces.filter { $0.piece.source == .measured }, by: \.group)
    for (group, pieces) in seen where pieces.count > 1 { confused.insert(group) }
    for (group, piece) in pieces {
      let box = piece.box.common(with: size)
      guard box.width >= 1, box.height >= 1 else { continue }
      let place = FoundTrack.Place(
        frame: frame, box: box, source: piece.source, score: piece.score)
      func isNear(_ other: FoundBox) -> Bool { other.overlaps(piece.box) }
      let near = before.filter { lanes[$0.lane].group == group && isNear($0.box) }
      let rivals = near.first.map { lane in
        pieces.count { $0.group == group && $0.piece.box.overlaps(lane.box) }
      }
      if near.count == 1, rivals == 1 {
        lanes[near[0].lane].places.append(place)
        open.append((near[0].lane, frame, piece.box))
      } else {
        open.append((lanes.count, frame, piece.box))
        lanes.append(CoverChain(group: group, places: [place]))
      }
    }
  }

  /// Gives ids.
  ///
  /// - Parameters:
  ///   - labels: by group.
  ///   - lastOfShot: tells the last frame of a frame's shot.
  func tracks(labels: [Int: String], lastOfShot: (Int) -> Int) -> [FoundTrack] {
    var numbers: [Int: Int] = [:]
    var (ids, count): ([Int: Int], Int) = ([:], 0)
    for (index, lane) in lanes.enumerated() where lane.isSeen {
      if !confused.contains(lane.group), let own = ids[lane.group] {
        numbers[index] = own
        continue
      }
      count += 1
      numbers[index] = count
      if ids[lane.group] == nil { ids[lane.group] = count }
    }
    var pieces: [Int: Int] = [:]
    let ends = Dictionary(lanes.map { ($0.group, $0.frames.upperBound) }, uniquingKeysWith: max)
    return lanes.enumerated().map { index, lane in
      let number = numbers[index] ?? nearest(to: lane, numbers)
      let piece = pieces[number, default: 0]
      pieces[number] = piece + 1
      return FoundTrack(
        id: piece == 0 ? "\(number)" : "\(number).\(piece)", label: labels[lane.group] ?? "",
        places: lane.places,
        leavesOff: lane.frames.upperBound == ends[lane.group] && leavesOff(lane, lastOfShot))
    }
  }

  /// The number of the lane of the same group that is seen the nearest in time.
  private func nearest(to lane: CoverChain, _ numbers: [Int: Int]) -> Int {
    func distance(_ other: CoverChain) -> Int {
      max(
        other.frames.lowerBound - lane.frames.upperBound,
        lane.frames.lowerBound - other.frames.upperBound, 0)
    }
    let seen = numbers.keys.sorted().filter { lanes[$0].group == lane.group }
    return seen.min { distance(lanes[$0]) < distance(lanes[$1]) }.flatMap { numbers[$0] } ?? 0
  }

  /// True if a lane ends before its shot does, away from the image's edges.
  private func leavesOff(_ lane: CoverChain, _ lastOfShot: (Int) -> Int) -> Bool {
    let end = lane.frames.upperBound
    guard end < lastOfShot(end), let box = lane.places.last?.box else { return false }
    return box.left > 0 && box.top > 0 && box.right < size.right && box.bottom < size.bottom
  }
}
