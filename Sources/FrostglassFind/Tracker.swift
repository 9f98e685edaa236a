/// Makes tracks of sightings, frame by frame, so that each rule covers more and never less:
///
/// 1. A high score starts a track, a low one continues one, and three of a middle one start one, too.
/// 2. Each sighting is followed forward and backward on small planes of brightness, with the shift of the whole image
///    where it has no structure of its own. Two sightings of which following leads from one to the other are the same
///    thing, and what is between them is covered: the mean of both ways where they agree, and both with all between
///    them where not.
/// 3. Before and after each sighting it is covered where following leads for some frames.
/// 4. What is lost and found again within `hold` frames is one thing.
/// 5. Margins grow with doubt, in `Margin` alone.
/// 6. Nothing is followed across a cut.
///
/// All is a union over sightings and pairs of sightings. One more of them adds to it and takes nothing away; a video
/// that is played backward has the same covers.
public struct Tracker {
  private struct Sighting {
    var found: Found
    var frame: Int
    /// True if it may be covered; others are left alone.
    var isWanted: Bool
    var box: FoundBox { FoundBox(found) }
  }

  /// A sighting that is followed as frames come.
  private struct Active {
    var sighting: Int
    var frame: Int
    /// Its places from its own frame on.
    var ahead: [Followed]
  }

  private let size: FoundBox
  private let rules: TrackingRules
  private var sightings: [Sighting] = []
  private var covers = Covers()
  private var active: [Active] = []
  private var frame = -1
  private var plane: LumaPlane?
  /// The motions from each frame of the shot to the one before it, the last frame's last, as many as are followed.
  private var back: [Motion] = []
  /// The first frame of each shot.
  private var shots: [Int] = []

  /// Begins a video.
  ///
  /// - Parameters:
  ///   - width: the width of its upright frames, in pixels.
  ///   - height: the height of its upright frames, in pixels.
  public init(width: Int, height: Int, rules: TrackingRules = TrackingRules()) {
    size = FoundBox(left: 0, top: 0, right: Double(width), bottom: Double(height))
    self.rules = rules
  }

  /// Takes the next frame.
  ///
  /// - Parameters:
  ///   - next: its brightness, shrunk; all planes of a video have the same size.
  ///   - beginsShot: true if a cut precedes it.
  ///   - found: detections in it; also empty if it was not searched.
  ///   - unwanted: detections to leave alone, whatever their scores.
  public mutating func add(
    _ next: LumaPlane, beginsShot: Bool, found: [Found], unwanted: [Found] = []
  ) {
    frame += 1
    let scale = Double(next.width) / size.right
    if beginsShot || plane == nil {
      shots.append(frame)
      (active, back) = ([], [])
    } else if let plane {
      var motion = Motion(from: plane, to: next)
      follow(by: &motion, scale)
      back.append(Motion(from: next, to: plane))
      if back.count > rules.hold { back.removeFirst() }
    }
    plane = next
    let earlier = active.count
    for (things, isWanted) in [(found, true), (unwanted, false)] {
      for thing in things where thing.score >= rules.keep && thing.width > 0 && thing.height > 0 {
        see(thing, isWanted && isCredible(thing), among: earlier, scale)
      }
    }
  }

  /// True unless a thing is large, and seen with less certainty than a large face is.
  private func isCredible(_ thing: Found) -> Bool {
    thing.score >= rules.start
      || FoundBox(thing).longest <= rules.largest * min(size.width, size.height)
  }

  /// Takes sightings forward to this frame.
  private mutating func follow(by motion: inout Motion, _ scale: Double) {
    active.removeAll { frame - $0.frame > rules.hold }
    for index in active.indices {
      let (sighting, age) = (active[index].sighting, frame - active[index].frame)
      let last = active[index].ahead[age - 1]
      let next = last.next(&motion, scale: scale)
      active[index].ahead.append(next)
      if age == 1 { cover(sighting, Followed(box: last.box, x: next.x, y: next.y), in: frame - 1) }
      if age <= rules.lead { cover(sighting, next, in: frame) }
    }
  }

  /// Adds a sighting, and follows it backward.
  private mutating func see(
    _ thing: Found, _ isWanted: Bool, among earlier: Int, _ scale: Double
  ) {
    let number = sightings.count
    sightings.append(Sighting(found: thing, frame: frame, isWanted: isWanted))
    covers.addSighting()
    let own = Followed(box: FoundBox(thing))
    covers.add(
      Covers.Piece(
        box: Margin.cover(own.box, doubt: 0, motion: (0, 0)), sighting: number, source: .measured,
        score: thing.score), in: frame)
    var ways = [own]
    for age in 0..<back.count {
      ways.append(ways[age].next(&back[back.count - 1 - age], scale: scale))
      let now = ways[age + 1]
      if age == 0 { cover(number, Followed(box: own.box, x: now.x, y: now.y), in: frame) }
      if age < rules.lead { cover(number, now, in: frame - age - 1) }
    }
    for index in 0..<earlier { link(active[index], number, ways) }
    active.append(Active(sighting: number, frame: frame, ahead: [own]))
  }

  private mutating func cover(_ sighting: Int, _ place: Followed, in frame: Int) {
    covers.add(
      Covers.Piece(
        box: Margin.cover(place.box, doubt: place.doubt, motion: (place.x, place.y)),
        sighting: sighting, source: .held), in: frame)
  }

  /// Joins two sightings if following leads from one to the other, and covers what is between them.
  ///
  /// - Parameter ways: the places of the later one from its own frame backward.
  private mutating func link(_ earlier: Active, _ number: Int, _ ways: [Followed]) {
    let gap = frame - earlier.frame
    let (one, other) = (sightings[earlier.sighting], sightings[number])
    guard gap > 0, gap < ways.count, one.found.label == other.found.label,
      one.isWanted == other.isWanted,
      earlier.ahead[gap].box.matches(other.box) || ways[gap].box.matches(one.box)
    else { return }
    covers.join(earlier.sighting, number)
    for age in 1..<max(gap, 1) {
      covers.add(
        Covers.Piece(
          box: Margin.cover(
            earlier.ahead[age], ways[gap - age], share: Double(age) / Double(gap)),
          sighting: number, source: .between), in: earlier.frame + age)
    }
  }

  /// Ends the video.
  ///
  /// - Returns: the things to cover, and those left alone.
  public mutating func finish() -> FoundTracks {
    covers.settle()
    var members: [Int: [Int]] = [:]
    for number in sightings.indices {
      members[covers.group(of: number), default: []].append(number)
    }
    let taken = members.filter { _, numbers in
      guard sightings[numbers[0]].isWanted else { return false }
      let repeated = numbers.filter { sightings[$0].found.score >= rules.repeated }
      return numbers.contains { sightings[$0].found.score >= rules.start }
        || Set(repeated.map { sightings[$0].frame }).count >= 3
    }
    var lanes = TrackBuilder(inside: size)
    for (number, frame) in covers.frames.keys.sorted().enumerated() {
      let pieces = (covers.frames[frame] ?? []).compactMap { piece in
        let group = covers.group(of: piece.sighting)
        return taken[group] == nil ? nil : (group, piece)
      }
      lanes.add(pieces, in: frame, isFirst: number == 0 || shots.contains(frame))
    }
    let last = { [shots, frame] (at: Int) in (shots.first { $0 > at } ?? frame + 1) - 1 }
    let tracks = lanes.tracks(
      labels: taken.mapValues { sightings[$0[0]].found.label }, lastOfShot: last)
    let best = taken.values.compactMap { $0.map { sightings[$0].found.score }.max() }
    return FoundTracks(
      tracks: tracks, leftAlone: leftAlone(members, taken), lowestStart: best.min())
  }

  /// The best sighting of each group that is not taken, unless something else covers it.
  private mutating func leftAlone(
    _ members: [Int: [Int]], _ taken: [Int: [Int]]
  ) -> [LeftAlone] {
    var all: [LeftAlone] = []
    for (group, numbers) in members where taken[group] == nil {
      let open = numbers.map { sightings[$0] }.filter { sighting in
        !(covers.frames[sighting.frame] ?? []).contains { piece in
          taken[covers.group(of: piece.sighting)] != nil && piece.box.contains(sighting.box)
        }
      }
      guard let best = open.max(by: { ($0.found.score, $1.frame) < ($1.found.score, $0.frame) })
      else { continue }
      all.append(
        LeftAlone(
          frame: best.frame, box: best.box, score: best.found.score, label: best.found.label))
    }
    return all.sorted { ($1.score, $0.frame, $0.box.left) < ($0.score, $1.frame, $1.box.left) }
  }
}

/// The numbers by which sightings become tracks.
public struct TrackingRules: Sendable, Hashable {
  /// The score that starts a track.
  public var start = 0.65
  /// The score from which on a sighting continues one.
  public var keep = 0.2
  /// The score of which three sightings in different frames start one, too.
  public var repeated = 0.45
  /// The longest side of a thing below `start`, as a part of the frame's shorter side. A larger face has detail enough to
  /// be sure of; where a detector is not, it is a wall, a shirt or a cup, and is left alone.
  public var largest = 0.5
  /// Frames for which a thing is followed before and after each sighting.
  public var lead = 12
  /// Frames between two sightings of one thing, at most: enough for ten looks that find nothing at every fifth frame.
  public var hold = 60

  /// The usual numbers.
  public init() {}
}

/// The margins around things: all that is covered beyond what was seen.
///
/// They depend on one sighting and on the planes alone, never on other sightings: one more sighting makes none of
/// them smaller.
enum Margin {
  /// The margin on each side, as a fraction of the box.
  private static let usual = 0.15
  /// The part of a frame's motion that is added along it.
  private static let ofMotion = 0.25
  /// The largest doubt, as a part of the box, where following from both sides leads to one place.
  private static let agreed = 0.05
  /// The largest part for motion, and for doubt.
  private static let most = (motion: 0.4, doubt: 0.6)

  /// The doubt of a place, as a part of the box, after one more frame of following.
  static func doubt(after doubt: Double, isSure: Bool) -> Double {
    min(doubt + (isSure ? 0.01 : 0.04), most.doubt)
  }

  /// Covers a thing in a frame.
  ///
  /// - Parameters:
  ///   - box: its place.
  ///   - doubt: the uncertainty of its place, as a fraction of the box.
  ///   - motion: the distance that it moves to an adjacent frame, in pixels.
  static func cover(_ box: FoundBox, doubt: Double, motion: (x: Double, y: Double)) -> FoundBox {
    let part = usual + min(doubt, most.doubt)
    let x = min(abs(motion.x) * ofMotion, most.motion * box.width)
    let y = min(abs(motion.y) * ofMotion, most.motion * box.height)
    return box.grown(x: part * box.width + x, y: part * box.height + y)
  }

  /// Covers a thing between two sightings, where following from both leads to a place each.
  ///
  /// Where these agree it is between them by the share of time; where not, both places and the way between are
  /// covered.
  static func cover(_ ahead: Followed, _ back: Followed, share: Double) -> FoundBox {
    let distance = ahead.box.distance(to: back.box)
    let doubt = min(ahead.doubt, back.doubt)
    if distance.centers < 0.25, distance.sides < 1.6 {
      // Where both agree, neither went astray, however long it was followed.
      return cover(
        ahead.box.mixed(with: back.box, share), doubt: min(doubt, agreed) + distance.centers,
        motion: (max(abs(ahead.x), abs(back.x)), max(abs(ahead.y), abs(back.y))))
    }
    return cover(ahead.box, doubt: doubt, motion: (ahead.x, ahead.y))
      .joined(with: cover(back.box, doubt: doubt, motion: (back.x, back.y)))
  }
}

/// The place to which a thing was followed from a sighting.
struct Followed {
  var box: FoundBox
  /// The doubt of it, as a part of the box.
  var doubt = 0.0
  /// The last step, in pixels.
  var x = 0.0
  var y = 0.0

  /// Goes on to the next plane.
  ///
  /// - Parameter scale: samples of planes per pixel of frames.
  func next(_ motion: inout Motion, scale: Double) -> Followed {
    let step = motion.step(
      of: FoundBox(
        left: box.left * scale, top: box.top * scale, right: box.right * scale,
        bottom: box.bottom * scale))
    let (x, y) = (step.x / scale, step.y / scale)
    return Followed(
      box: box.moved(x: x, y: y), doubt: Margin.doubt(after: doubt, isSure: step.isSure), x: x, y: y
    )
  }
}
