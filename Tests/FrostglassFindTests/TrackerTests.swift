import FrostglassFind
import TestSupport
import Testing

/// Tracks cover more, and never less, the more is seen.
@Suite struct TrackerTests {
  private static let walk = SyntheticVideo(
    frames: 90, things: [SyntheticVideo.Thing(x: 60, y: 80, speed: (2.5, 0.4))])

  @Test(arguments: 0..<6) func oneMoreSightingUncoversNothing(_ seed: Int) {
    var numbers = SplitMix(state: UInt64(seed) + 41)
    let video = SyntheticVideo(
      frames: 40,
      things: [
        SyntheticVideo.Thing(x: 60, y: 40, speed: (3, 1)),
        SyntheticVideo.Thing(x: 250, y: 60, speed: (-3, 0.5), seed: 9),
      ])
    let planes = video.planes
    func chance() -> Double { Double.random(in: 0..<1, using: &numbers) }
    func place(near box: FoundBox) -> Found {
      let (x, y) = (30 * (chance() - 0.5), 30 * (chance() - 0.5))
      return Found(
        FoundBox(
          left: box.left + x, top: box.top + y, right: box.right + x + 20 * (chance() - 0.5),
          bottom: box.bottom + y + 20 * (chance() - 0.5)), score: 0.15 + 0.8 * chance())
    }
    var found: [Int: [Found]] = [:]
    for frame in 0..<video.frames {
      for thing in video.things where chance() < 0.4 {
        found[frame, default: []].append(place(near: thing.box(frame)))
      }
    }
    var covers = track(planes, found, cuts: [25])
    #expect(!covers.tracks.isEmpty)
    for _ in 0..<5 {
      let frame = Int.random(in: 0..<video.frames, using: &numbers)
      let thing = video.things[Int.random(in: 0..<2, using: &numbers)]
      found[frame, default: []].append(place(near: thing.box(frame)))
      let more = track(planes, found, cuts: [25])
      for frame in 0..<video.frames {
        let boxes = more.boxes(frame)
        for box in covers.boxes(frame) {
          #expect(boxes.contains { $0.contains(box) }, "frame \(frame), \(box)")
        }
      }
      covers = more
    }
  }

  /// Looks that find nothing, in a row, at a thing that moves.
  @Test(arguments: [1, 3, 10]) func lostLooksLeaveNothingOpen(_ count: Int) {
    let video = Self.walk
    let planes = video.planes
    let looks = Array(stride(from: 0, to: video.frames, by: 5))
    for first in stride(from: 1, to: looks.count - count, by: 3) {
      let seen = looks.enumerated().filter { !(first..<first + count).contains($0.offset) }
      let found = track(planes, video.sightings(at: seen.map(\.element)))
      #expect(found.count == 1)
      for frame in 0...85 {
        let box = video.things[0].box(frame)
        #expect(
          found.boxes(frame).contains { $0.contains(box) },
          "\(first)…: frame \(frame), \(found.boxes(frame)), \(box)")
      }
    }
  }

  @Test func nothingIsCoveredAcrossACut() {
    let video = SyntheticVideo(
      frames: 60, things: [SyntheticVideo.Thing(x: 100, y: 80, speed: (0, 0))], cut: 30)
    let planes = video.planes
    let before = track(planes, video.sightings(at: 20..<30), cuts: [30])
    #expect(before.covered == Set(8..<30))
    let after = track(planes, video.sightings(at: 30..<35), cuts: [30])
    #expect(after.covered == Set(30..<47))
    // The same thing on both sides is two.
    #expect(track(planes, video.sightings(at: [28, 32]), cuts: [30]).count == 2)
  }

  @Test func aReversedVideoHasTheSameCovers() {
    var video = Self.walk
    video.frames = 50
    let planes = video.planes
    let found = video.sightings(at: [8, 13, 30], score: 0.5)
      .merging(video.sightings(at: [31, 40])) { $1 }
    let there = track(planes, found, cuts: [20])
    let back = track(
      planes.reversed(),
      Dictionary(uniqueKeysWithValues: found.map { (video.frames - 1 - $0.key, $0.value) }),
      cuts: [video.frames - 20])
    #expect(there.covered == Set(back.covered.map { video.frames - 1 - $0 }))
    for frame in 0..<video.frames {
      let (boxes, others) = (there.boxes(frame), back.boxes(video.frames - 1 - frame))
      #expect(boxes.count == others.count)
      for box in boxes {
        let wider = box.grown(by: 1e-6)
        #expect(others.contains { wider.contains($0) && $0.grown(by: 1e-6).contains(box) })
      }
    }
  }

  @Test func scoresStartAndContinueTracks() {
    let video = Self.walk
    let planes = Array(video.planes.prefix(40))
    func covered(_ scores: [Int: Double]) -> Set<Int> {
      var found: [Int: [Found]] = [:]
      for (frame, score) in scores {
        found[frame] = [Found(video.things[0].box(frame), score: score)]
      }
      return track(planes, found).covered
    }
    #expect(covered([20: 0.65]) == Set(8...32))
    #expect(covered([20: 0.64]).isEmpty)
    #expect(covered([5: 0.2, 20: 0.65]) == Set(0...32))
    #expect(covered([5: 0.19, 20: 0.65]) == Set(8...32))
    #expect(covered([10: 0.45, 15: 0.45]).isEmpty)
    #expect(covered([10: 0.45, 15: 0.45, 20: 0.45]) == Set(0...32))
    // Three in one frame are one look.
    let thrice = [Found](repeating: Found(video.things[0].box(20), score: 0.5), count: 3)
    #expect(track(planes, [20: thrice]).tracks.isEmpty)
  }

  @Test func whatIsLeftAloneIsListedMostCertainFirst() {
    let video = SyntheticVideo(
      frames: 20,
      things: [
        SyntheticVideo.Thing(x: 40, y: 80, speed: (0, 0)),
        SyntheticVideo.Thing(x: 150, y: 80, speed: (0, 0)),
        SyntheticVideo.Thing(x: 280, y: 80, speed: (0, 0)),
      ])
    var found = video.sightings(of: 0, at: [3], score: 0.3)
    for (frame, things) in video.sightings(of: 0, at: [4], score: 0.6) { found[frame] = things }
    found[6] = video.sightings(of: 1, at: [6], score: 0.7)[6]
    // What another one's cover hides is not open.
    found[7] = [
      Found(video.things[2].box(7), score: 0.5), Found(video.things[1].box(7), score: 0.25),
    ]
    let tracks = track(video.planes, found)
    #expect(tracks.leftAlone.map(\.score) == [0.6, 0.5])
    #expect(tracks.leftAlone.map(\.frame) == [4, 7])
    #expect(tracks.leftAlone[0].box == video.things[0].box(4))
    #expect(tracks.count == 1 && tracks.lowestStart == 0.7)
    #expect(tracks.places(.measured) == 2 && tracks.places(.held) == 18)
  }

  /// An unwanted thing neither starts a track nor continues one, and a cover that hides it takes it off the list.
  @Test func unwantedThingsAreLeftAlone() {
    let video = SyntheticVideo(
      frames: 20,
      things: [
        SyntheticVideo.Thing(x: 40, y: 80, speed: (0, 0)),
        SyntheticVideo.Thing(x: 150, y: 80, speed: (0, 0)),
      ])
    var tracker = Tracker(width: SyntheticVideo.width, height: SyntheticVideo.height)
    for (frame, plane) in video.planes.enumerated() {
      let (one, other) = (video.things[0].box(frame), video.things[1].box(frame))
      tracker.add(
        plane, beginsShot: false, found: frame == 4 ? [Found(other, score: 0.9)] : [],
        unwanted: frame == 10
          ? [Found(one, score: 0.95), Found(other, score: 0.8)] : [Found(one, score: 0.7)])
    }
    let found = tracker.finish()
    #expect(found.count == 1 && found.lowestStart == 0.9)
    #expect(found.leftAlone.map(\.score) == [0.95] && found.leftAlone.map(\.frame) == [10])
    #expect((0..<20).allSatisfy { frame in !found.boxes(frame).contains { $0.left < 100 } })
  }

  /// A wall is often taken for half a face, and never for a sure one.
  @Test func largeThingsTakeAScoreThatStarts() {
    let video = SyntheticVideo(
      frames: 40, things: [SyntheticVideo.Thing(x: 100, y: 40, side: 130, speed: (0, 0))])
    func tracks(_ scores: [Int: Double]) -> FoundTracks {
      track(video.planes, scores.mapValues { [Found(video.things[0].box(0), score: $0)] })
    }
    let weak = tracks([10: 0.6, 12: 0.6, 14: 0.6])
    #expect(weak.tracks.isEmpty && weak.leftAlone.map(\.score) == [0.6])
    #expect(tracks([10: 0.65]).covered == Set(0..<23))
    // Weak ones do not make it longer.
    #expect(tracks([10: 0.65, 30: 0.6]).covered == Set(0..<23))
  }

  @Test func whatIsBetweenIsToldFromWhatIsHeld() throws {
    let video = Self.walk
    let tracks = track(Array(video.planes.prefix(50)), video.sightings(at: [10, 30]))
    let track = try #require(tracks.tracks.first)
    #expect(tracks.tracks.count == 1 && track.id == "1" && track.scores == 0.9...0.9)
    for place in track.places {
      let expected: FoundTrack.Source =
        place.frame == 10 || place.frame == 30
        ? .measured : (10..<30).contains(place.frame) ? .between : .held
      #expect(place.source == expected, "frame \(place.frame)")
      #expect((place.score != nil) == (expected == .measured))
    }
    #expect(track.places.map(\.frame) == Array(0...42))
  }

  @Test func aTrackThatLeavesOffInsideTheImageIsNamed() {
    var video = Self.walk
    video.frames = 60
    let planes = video.planes
    #expect(track(planes, video.sightings(at: 0..<20)).tracks.map(\.leavesOff) == [true])
    // It is held to the end of the shot.
    #expect(track(planes, video.sightings(at: 0..<50)).tracks.map(\.leavesOff) == [false])
    // It leaves at the right edge.
    let leaving = SyntheticVideo(
      frames: 60, things: [SyntheticVideo.Thing(x: 300, y: 80, speed: (4, 0))])
    #expect(
      track(leaving.planes, leaving.sightings(at: 0..<18)).tracks.map(\.leavesOff) == [false])
  }

  /// After two that cross it is not known who is who: neither keeps an id.
  @Test func idsEndWhereThingsAreConfused() {
    let video = SyntheticVideo(
      frames: 60,
      things: [
        SyntheticVideo.Thing(x: 60, y: 80, speed: (4, 0)),
        SyntheticVideo.Thing(x: 280, y: 84, speed: (-4, 0), seed: 9),
      ])
    let found = video.sightings(of: 0, at: 0..<60)
      .merging(video.sightings(of: 1, at: 0..<60)) { $0 + $1 }
    let tracks = track(video.planes, found)
    func ids(_ frame: Int) -> Set<Substring> {
      Set(tracks.tracks.filter { $0.places.contains { $0.frame == frame } }.map(\.number))
    }
    #expect(ids(0).count == 2 && ids(59).count == 2)
    #expect(ids(0).isDisjoint(with: ids(59)))
    #expect(tracks.lowestStart == 0.9)
    // Two apart keep theirs.
    let apart = SyntheticVideo(
      frames: 30,
      things: [
        SyntheticVideo.Thing(x: 60, y: 80, speed: (1, 0)),
        SyntheticVideo.Thing(x: 280, y: 80, speed: (-1, 0), seed: 9),
      ])
    let two = apart.sightings(of: 0, at: 0..<30)
      .merging(apart.sightings(of: 1, at: 0..<30)) { $0 + $1 }
    #expect(track(apart.planes, two).tracks.map(\.id) == ["1", "2"])
  }

  @Test func otherKindsAreOtherThings() {
    let video = Self.walk
    var plate = Found(video.things[0].box(12), score: 0.3)
    plate.label = "plate"
    var found = video.sightings(at: [10])
    found[12] = [plate]
    let tracks = track(Array(video.planes.prefix(20)), found)
    #expect(tracks.tracks.map(\.label) == ["face"])
  }
}

extension FoundBox {
  fileprivate func grown(by pixels: Double) -> FoundBox {
    FoundBox(
      left: left - pixels, top: top - pixels, right: right + pixels, bottom: bottom + pixels)
  }
}
