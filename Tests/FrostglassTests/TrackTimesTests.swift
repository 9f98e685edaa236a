import Frostglass
import FrostglassCore
import TestSupport
import Testing

/// Tracks in seconds and frames whose lengths vary: which frame a key belongs to.
@Suite struct TrackTimesTests {
  private typealias Key = Tracks.Key
  private static let video = Size(width: 640, height: 480)

  private static func box(_ x: Double) -> MaskShape {
    .rectangle(x: Length(x), y: Length(16), width: Length(16), height: Length(16))
  }

  private func sampler(_ keys: [Key], frame: Double) throws -> TrackSampler {
    try TrackSampler(
      Tracks(.seconds, [Tracks.Track(id: "1", keys: keys)]), size: Self.video,
      care: TrackSampler.SafetyMargins(), frame: frame)
  }

  /// Returns the findings in each frame of a video.
  private func found(
    _ sampler: TrackSampler, _ starts: [Double], length: Double
  ) -> [TrackSampler.Found?] {
    starts.indices.map { index in
      let isLast = index == starts.count - 1
      return sampler.found(
        in: .init(
          from: starts[index], to: isLast ? starts[index] + length : starts[index + 1],
          after: index > 0 ? starts[index - 1] : nil, isFirst: index == 0, isLast: isLast)
      ).first
    }
  }

  private func covers(_ found: TrackSampler.Found?, _ x: Double) -> Bool {
    found?.shapes.contains { shape in
      guard case .rectangle(let left, _, let width, _, _, _) = shape else { return false }
      return left.value <= x + 1e-6 && left.value + width.value >= x + 16 - 1e-6
    } ?? false
  }

  /// Short frames among long ones: a key that is exactly on one frame is no other's.
  @Test func aKeyOnAFrameIsThatFramesAlone() throws {
    let starts = [0, 0.1, 0.2, 0.3, 0.32, 0.34, 0.36, 0.4, 0.5, 0.6]
    let sampler = try sampler(
      [(0.0, 10.0), (0.3, 10), (0.36, 190), (0.6, 190)].map { Key(at: $0, shape: Self.box($1)) },
      frame: 0.1)
    let all = found(sampler, starts, length: 0.1)
    let places: [Double] = [10, 10, 10, 10, 70, 130, 190, 190, 190, 190]
    for (index, place) in places.enumerated() {
      #expect(all[index]?.shapes.count == 1 && covers(all[index], place), "frame \(index)")
      let isKey = [0, 3, 6, 9].contains(index)
      #expect(all[index]?.state == (isKey ? .measured : .interpolated), "frame \(index)")
    }
  }

  /// Lengths, gaps and jitter at random: each key counts for the nearest frame and for the one on the screen, and
  /// no other frame is called measured; where the way between keys leads is covered in any case.
  @Test(arguments: 0..<200) func everyKeyHasItsFrames(_ seed: Int) throws {
    var random = SplitMix(state: UInt64(seed))
    func next(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
    var starts = [next(0...0.2)]
    for _ in 0..<Int.random(in: 2...24, using: &random) {
      starts.append(
        starts[starts.count - 1] + [0.01, 0.02, 0.04, 0.1, 0.7].randomElement(using: &random)!
          * next(0.7...1.3))
    }
    let length = (starts[starts.count - 1] - starts[0]) / Double(starts.count - 1)
    var keys: [(at: Double, x: Double)] = []
    for _ in 0..<Int.random(in: 2...12, using: &random) {
      let isOnFrame = Bool.random(using: &random)
      let at =
        isOnFrame
        ? starts.randomElement(using: &random)!
        : next(starts[0] - 0.05...starts[starts.count - 1] + 0.05)
      guard !keys.contains(where: { abs($0.at - at) < 0.002 }) else { continue }
      keys.append((at, next(0...600)))
    }
    keys.sort { $0.at < $1.at }
    let all = found(
      try sampler(keys.map { Key(at: $0.at, shape: Self.box($0.x)) }, frame: length), starts,
      length: length)
    var owners: Set<Int> = []
    for key in keys {
      let distances = starts.map { abs($0 - key.at) }
      let nearest = distances.indices.min { distances[$0] < distances[$1] }!
      // A time within a thousandth before the next frame may be that one's, rounded.
      let onScreen = starts.lastIndex { $0 <= key.at }
      let isClear =
        onScreen.map { $0 + 1 == starts.count || starts[$0 + 1] - key.at > 0.001 } ?? false
      for owner in [nearest] + (isClear ? [onScreen!] : []) {
        // Of what is before the first frame or after the last one, the nearest key counts.
        let isOutside = key.at < starts[0] || key.at > starts[starts.count - 1] + length
        owners.insert(owner)
        guard !isOutside else { continue }
        #expect(all[owner]?.state == .measured && covers(all[owner], key.x), "key at \(key.at)")
      }
      if let onScreen, !isClear { owners.insert(onScreen) }
    }
    for (index, start) in starts.enumerated() {
      #expect(owners.contains(index) || all[index]?.state != .measured, "frame \(index)")
      guard let far = keys.firstIndex(where: { $0.at > start }), far > 0 else { continue }
      let (near, next) = (keys[far - 1], keys[far])
      guard next.at - start > 0.001, start - near.at > 0.001 else { continue }
      let share = (start - near.at) / (next.at - near.at)
      #expect(covers(all[index], near.x + (next.x - near.x) * share), "frame \(index)")
    }
  }

  /// Times before the first frame and after the last one are those frames'.
  @Test func keysOutsideOfTheVideoBelongToItsEnds() throws {
    let sampler = try sampler(
      [(0.0, 10.0), (0.05, 30), (0.55, 300), (0.9, 400)].map { Key(at: $0, shape: Self.box($1)) },
      frame: 0.1)
    let all = found(sampler, [0.1, 0.2, 0.3, 0.4], length: 0.1)
    #expect(all[0]?.state == .measured && covers(all[0], 30) && !covers(all[0], 10))
    #expect(all[1]?.state == .interpolated && all[2]?.state == .interpolated)
    #expect(all[3]?.state == .measured && covers(all[3], 300) && !covers(all[3], 400))
  }

  private func masks(_ tracks: Tracks, isStrict: Bool, frames: Int? = nil) throws -> TrackMasks {
    try TrackMasks(
      tracks, from: "a.csv", beside: Mask([]), size: Self.video, care: TrackSampler.SafetyMargins(),
      isStrict: isStrict, frames: frames, rate: FrameRate(10, in: 1))
  }

  /// Tracks that end long before the video, or go on after it, are known as such before the first frame.
  @Test(arguments: [Tracks.Clock.frames, .seconds])
  func tracksOfAnotherLengthAreKnownBefore(_ clock: Tracks.Clock) throws {
    let unit = clock == .frames ? 1 : 0.1
    let tracks = Tracks(
      clock, [Tracks.Track(id: "1", keys: [0, 19].map { Key(at: $0 * unit, shape: Self.box(10)) })])
    for (count, words) in [(20, nil), (75, "ends before"), (9, "another video's")] {
      let extent = VideoExtent(frames: count, seconds: Double(count) / 10)
      var strict = try masks(tracks, isStrict: true)
      var plain = try masks(tracks, isStrict: false)
      try plain.expect(extent)
      let last = FrameMoment(index: count - 1, rate: FrameRate(10, in: 1))
      guard let words else {
        try strict.expect(extent)
        #expect(plain.remarks.isEmpty && plain.misfit(after: last) == nil)
        continue
      }
      let error = #expect(throws: VideoError.self) { try strict.expect(extent) }
      #expect(error.map { "\($0)".contains(words) } == true)
      #expect(plain.remarks.count == 1 && plain.remarks[0].contains(words))
      // What was said before is not said again; where nothing was, it is at the end.
      #expect(plain.misfit(after: last) == nil)
      #expect(try masks(tracks, isStrict: false).misfit(after: last)?.contains(words) == true)
    }
    var told = try masks(tracks, isStrict: true, frames: 75)
    try told.expect(VideoExtent(frames: 75, seconds: 7.5))
    #expect(throws: VideoError.self) { try told.expect(VideoExtent(frames: 20, seconds: 2)) }
  }

  /// The last key of tracks in seconds is known of the frame that is nearest to it, however long frames are.
  @Test func theLastKeyReachesItsNearestFrame() throws {
    let tracks = Tracks(
      .seconds,
      [Tracks.Track(keys: [Key(at: 0, shape: Self.box(10)), Key(at: 1.4, shape: Self.box(10))])])
    let masks = try masks(tracks, isStrict: true)
    let near = FrameMoment(index: 1, seconds: 2, duration: 0.1, previous: 0)
    #expect(try masks.mask(at: near) != nil)
    let far = FrameMoment(index: 2, seconds: 2.1, duration: 0.1, previous: 2)
    #expect(throws: VideoError.self) { try masks.mask(at: far) }
  }
}
