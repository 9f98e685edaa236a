import FrostglassCore
import Frostglass
import Testing

/// The coverage of tracks in each frame.
@Suite struct TrackSamplerTests {
  private typealias Key = Tracks.Key
  private static let video = Size(width: 640, height: 480)

  private static func box(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> MaskShape
  {
    .rectangle(x: Length(x), y: Length(y), width: Length(width), height: Length(height))
  }

  private func sampler(
    _ keys: [Key], _ clock: Tracks.Clock = .frames, longestStep: Double? = nil,
    care: TrackSampler.SafetyMargins = TrackSampler.SafetyMargins(), frame: Double? = nil
  ) throws -> TrackSampler {
    try TrackSampler(
      Tracks(clock, [Tracks.Track(id: "1", keys: keys)], longestStep: longestStep),
      size: Self.video, care: care, frame: frame)
  }

  /// Left, top, right and bottom of the one rectangle that is covered.
  private func sides(_ sampler: TrackSampler, _ time: Double) throws -> [Double]? {
    guard let found = sampler.found(at: time).first else { return nil }
    try #require(found.shapes.count == 1)
    guard case .rectangle(let x, let y, let width, let height, _, _) = found.shapes[0] else {
      return nil
    }
    return [x.value, y.value, x.value + width.value, y.value + height.value]
  }

  /// Linear motion between keys is interpolated exactly.
  @Test func theWayBetweenKeysIsStraight() throws {
    func place(_ time: Double) -> [Double] {
      [3 + 7 * time, 200 - 2.5 * time, 43 + 8 * time, 260 - 2 * time]
    }
    func shape(_ time: Double) -> MaskShape {
      let sides = place(time)
      return Self.box(sides[0], sides[1], sides[2] - sides[0], sides[3] - sides[1])
    }
    let sampler = try sampler([0, 4, 30].map { Key(at: $0, shape: shape($0)) })
    for frame in 0...30 {
      let sides = try #require(try sides(sampler, Double(frame)))
      for (side, exact) in zip(sides, place(Double(frame))) { #expect(abs(side - exact) < 1e-9) }
      let state = sampler.found(at: Double(frame))[0].state
      #expect(state == ([0, 4, 30].contains(frame) ? .measured : .interpolated))
    }
    #expect(sampler.found(at: -1).isEmpty && sampler.found(at: 31).isEmpty)
  }

  @Test func ellipsesPolygonsAndShares() throws {
    let ellipse = try sampler([
      Key(at: 0, shape: .ellipse(x: 0, y: 0, width: 10, height: 10)),
      Key(at: 2, shape: .ellipse(x: 10, y: 20, width: 20, height: 10)),
    ])
    #expect(
      ellipse.found(at: 1)[0].shapes == [.ellipse(x: 5, y: 10, width: 15, height: 10)])
    let polygon = try sampler([
      Key(at: 0, shape: .polygon([.init(x: 0, y: 0), .init(x: 4, y: 0), .init(x: 0, y: 4)])),
      Key(at: 2, shape: .polygon([.init(x: 2, y: 2), .init(x: 8, y: 2), .init(x: 2, y: 8)])),
    ])
    #expect(
      polygon.found(at: 1)[0].shapes
        == [.polygon([.init(x: 1, y: 1), .init(x: 6, y: 1), .init(x: 1, y: 6)])])
    let share = try sampler([
      Key(
        at: 0,
        shape: .rectangle(
          x: Length(50, .percent), y: Length(50, .percent), width: Length(25, .percent),
          height: Length(25, .percent)))
    ])
    #expect(share.found(at: 0)[0].shapes == [Self.box(320, 240, 160, 120)])
    // Of two kinds there is no way between: both are covered.
    let both = try sampler([
      Key(at: 0, shape: Self.box(0, 0, 10, 10)),
      Key(at: 2, shape: .ellipse(x: 10, y: 20, width: 20, height: 10)),
    ])
    #expect(both.found(at: 1)[0].shapes.count == 2 && both.found(at: 1)[0].state == .held)
  }

  @Test func gapsAreCoveredBothWays() throws {
    let keys = [
      Key(at: 0, shape: Self.box(0, 0, 10, 10)), Key(at: 1, shape: Self.box(1, 0, 10, 10)),
      Key(at: 5, shape: Self.box(100, 50, 10, 10)),
    ]
    let cover = try sampler(keys, longestStep: 1)
    let hold = try sampler(keys, longestStep: 1, care: .init(onGap: .hold))
    for time in [2.0, 3, 4] {
      #expect(try sides(cover, time) == [1, 0, 110, 60])
      #expect(hold.found(at: time)[0].shapes == [keys[1].shape, keys[2].shape])
      #expect(cover.found(at: time)[0].state == .held && hold.found(at: time)[0].state == .held)
    }
    #expect(try sides(cover, 1) == [1, 0, 11, 10] && sides(cover, 5) == [100, 50, 110, 60])
    let error = #expect(throws: RegionsError.self) {
      try sampler(keys, longestStep: 1, care: .init(onGap: .error))
    }
    #expect(error.map { "\($0)".contains("track 1 is lost after frame 1") } == true)
    // Keys that are far apart on purpose are no gap.
    #expect(try sides(sampler(keys, care: .init(onGap: .error)), 3) == [50.5, 25, 60.5, 35])
  }

  @Test func whatIsGoneIsGone() throws {
    let keys = [
      Key(at: 2, shape: Self.box(1, 2, 3, 4)), Key(at: 5, shape: nil),
      Key(at: 7, until: 9, shape: Self.box(5, 2, 3, 4)),
      Key(at: 20, until: .infinity, shape: Self.box(9, 2, 3, 4)),
    ]
    let sampler = try sampler(keys)
    let seen = (0..<30).filter { !sampler.found(at: Double($0)).isEmpty }
    #expect(seen == [2, 3, 4, 7, 8] + Array(20..<30))
    #expect(sampler.found(at: 4)[0].state == .held && sampler.found(at: 8)[0].state == .measured)
  }

  /// The coverage with neighbors contains that of each neighbor.
  @Test func theSpreadCoversTheNeighbors() throws {
    let keys = (0..<12).map { frame in
      Key(at: Double(frame), shape: Self.box(Double(frame * frame) / 2, 50 - Double(frame), 20, 20))
    }
    let plain = try sampler(keys)
    for spread in 1...3 {
      let wide = try sampler(keys, care: .init(spread: spread))
      for frame in -spread..<12 + spread {
        let sides = try #require(try sides(wide, Double(frame)))
        for near in frame - spread...frame + spread {
          guard let inner = try self.sides(plain, Double(near)) else { continue }
          #expect(sides[0] <= inner[0] && sides[1] <= inner[1])
          #expect(sides[2] >= inner[2] && sides[3] >= inner[3])
        }
      }
      #expect(wide.found(at: Double(-spread))[0].state == .held)
      #expect(wide.found(at: Double(-spread - 1)).isEmpty)
    }
  }

  @Test func whatMovesGrows() throws {
    let keys = [
      Key(at: 0, shape: Self.box(0, 0, 10, 10)), Key(at: 10, shape: Self.box(40, 20, 10, 10)),
    ]
    let sampler = try sampler(keys, care: .init(motion: 2))
    // Four pixels across and two down in a frame.
    #expect(try sides(sampler, 5) == [12, 6, 38, 24])
    let still = try self.sampler(
      [keys[0], Key(at: 9, shape: keys[0].shape)], care: .init(motion: 2))
    #expect(try sides(still, 5) == [0, 0, 10, 10])
  }

  /// Times are rounded by whoever writes them, and a frame is shown until the next.
  @Test func secondsMeetFrames() throws {
    let frame = 1 / 29.97
    let times = (0..<40).map { (Double($0) * frame * 1000).rounded() / 1000 }
    let sampler = try sampler(
      times.enumerated().map { Key(at: $1, shape: Self.box(Double($0), 0, 5, 5)) }, .seconds,
      frame: frame)
    for index in 0..<40 {
      #expect(try sides(sampler, Double(index) * frame)?[0] == Double(index))
    }
    let cue = try self.sampler(
      [Key(at: 0.11, until: 0.31, shape: Self.box(0, 0, 5, 5))], .seconds, frame: 0.1)
    #expect((0..<6).filter { !cue.found(at: Double($0) / 10).isEmpty } == [1, 2, 3])
    #expect(throws: RegionsError.self) {
      try self.sampler([Key(at: 0, shape: Self.box(0, 0, 5, 5))], .seconds)
    }
  }

  /// A frame that is shown for long covers what comes and goes in the meantime.
  @Test func longFramesCoverWhatComesAndGoes() throws {
    let sampler = try sampler(
      [
        Key(at: 1, until: 1.02, shape: Self.box(0, 0, 5, 5)),
        Key(at: 1.5, until: 1.9, shape: Self.box(90, 0, 5, 5)),
        Key(at: 4, until: 5, shape: Self.box(200, 0, 5, 5)),
      ], .seconds, frame: 0.04)
    #expect(sampler.found(at: 0.5).isEmpty)
    let found = sampler.found(in: .init(from: 0.5, to: 2.5))
    #expect(found.map(\.shapes) == [[Self.box(0, 0, 5, 5), Self.box(90, 0, 5, 5)]])
    #expect(sampler.found(in: .init(from: 2, to: 2.04)).isEmpty && sampler.found(at: 0.9).isEmpty)
  }

  /// Tracks that are excluded by label or score cover nothing, and are known for as long as before.
  @Test func tracksAreChosen() throws {
    func track(_ id: String, _ label: String?, _ scores: [Double?]) -> Tracks.Track {
      Tracks.Track(
        id: id, label: label,
        keys: scores.enumerated().map {
          Key(at: Double($0), shape: Self.box(0, 0, 5, 5), score: $1)
        })
    }
    let all = Tracks(
      .frames,
      [
        track("a", "face", [0.2, 0.9, 0.1]), track("b", "face", [0.2, 0.4]),
        track("c", "plate", [0.9, 0.9, 0.9, 0.9]), track("d", "face", [nil, 0.1]),
      ])
    func taken(_ filter: RegionFilter) throws -> ([String?], RegionFilter.LeftOut, [String], Tracks)
    {
      var tracks = all
      let (leftOut, missing) = try tracks.take(filter, path: "x")
      let left = tracks.tracks.filter { $0.keys.allSatisfy { $0.shape != nil } }.map(\.id)
      return (left, leftOut, missing, tracks)
    }
    #expect(try taken(RegionFilter()).0 == ["a", "b", "c", "d"])
    let (ids, leftOut, missing, tracks) = try taken(
      RegionFilter(minimumScore: 0.5, labels: ["Face", "dog"]))
    #expect(
      ids == ["a", "d"] && leftOut.byScore == 1 && leftOut.byLabel == 1 && missing == ["dog"])
    #expect(tracks.end == all.end && tracks.tracks.count == 4)
    let sampler = try TrackSampler(
      tracks, size: Self.video, care: TrackSampler.SafetyMargins(spread: 2), frame: nil)
    #expect(sampler.found(at: 0).map(\.track) == [0, 3] && sampler.found(at: 9).isEmpty)
    #expect(throws: RegionsError.self) { try taken(RegionFilter(labels: ["dog"])) }
    #expect(throws: RegionsError.self) {
      try taken(RegionFilter(minimumScore: 0.95, labels: ["plate"]))
    }
  }
}
