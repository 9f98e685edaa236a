import Frostglass
import FrostglassCore
import FrostglassFind
import Testing

/// Found tracks as files of tracks.
@Suite struct FoundTracksTests {
  private static let found = FoundTracks(
    tracks: [
      FoundTrack(
        id: "1", label: "face",
        places: [
          FoundTrack.Place(
            frame: 2, box: FoundBox(left: 10.04, top: 5, right: 20.01, bottom: 15.55), source: .held
          ),
          FoundTrack.Place(
            frame: 3, box: FoundBox(left: 12, top: 5, right: 22, bottom: 15), source: .measured,
            score: 0.87654),
          FoundTrack.Place(
            frame: 4, box: FoundBox(left: 14, top: 5, right: 24, bottom: 15), source: .between),
        ], leavesOff: false)
    ], leftAlone: [])

  private var tracks: Tracks { Tracks(Self.found, size: Size(width: 64, height: 48), frames: 9) }

  @Test func boxesAreRoundedOutwardAndEndWithTheTrack() throws {
    let keys = tracks.tracks[0].keys
    #expect(keys.map(\.at) == [2, 3, 4, 5])
    #expect(keys[0].shape == .rectangle(x: 10, y: 5, width: 10.1, height: 10.6))
    #expect(keys[3].shape == nil && keys[1].score == 0.877)
    #expect(tracks.length == 9 && tracks.longestStep == 1 && tracks.clock == .frames)
  }

  @Test func statesSurviveJSON() throws {
    let written = try WrittenTracks(tracks, as: .json)
    #expect(written.losses.isEmpty && written.files[0].text.contains(#""state":"held""#))
    let read = try Tracks(text: written.files[0].text)
    #expect(read == tracks)
    #expect(
      try Tracks(text: written.files[0].text).tracks[0].keys.map(\.state) == [
        .held, nil, .interpolated, nil,
      ])
    #expect(try WrittenTracks(tracks, as: .csv).losses.contains { $0.contains("followed") })
  }

  @Test func anUnknownStateIsRefused() {
    let text =
      #"{"tracks": [{"id": 1, "keys": [{"frame": 0, "bbox": [1, 2, 3, 4], "state": "seen"}]}]}"#
    let error = #expect(throws: RegionsError.self) { try Tracks(text: text) }
    #expect(error.map { "\($0)".contains("measured, interpolated or held") } == true)
  }

  @Test func auditsTellWhatWasFollowedFromWhatWasSeen() throws {
    let sampler = try TrackSampler(
      tracks, size: Size(width: 64, height: 48), care: TrackSampler.SafetyMargins(onGap: .hold),
      frame: nil)
    func states(_ frame: Double) -> [TrackSampler.State] { sampler.found(at: frame).map(\.state) }
    #expect(states(1).isEmpty && states(2) == [.held] && states(3) == [.measured])
    #expect(states(4) == [.interpolated] && states(5).isEmpty)
    #expect(sampler.found(at: 3)[0].shapes == [.rectangle(x: 12, y: 5, width: 10, height: 10)])
  }

  /// A place that was followed has no score, and keeps no track that is not certain enough.
  @Test func scoresOfWhatWasSeenDecide() throws {
    var tracks = tracks
    let all = try tracks.take(RegionFilter(minimumScore: 0.8), path: "")
    #expect(all.leftOut.count == 0)
    #expect(throws: RegionsError.self) {
      try tracks.take(RegionFilter(minimumScore: 0.9), path: "")
    }
  }

  @Test func tracksAreLeftOutByIdWithTheirPieces() throws {
    var tracks = tracks
    for id in ["1.1", "12"] {
      var other = tracks.tracks[0]
      other.id = id
      tracks.tracks.append(other)
    }
    try tracks.leaveOut(["1"])
    let covering = tracks.tracks.filter { $0.keys.contains { $0.shape != nil } }
    #expect(covering.map(\.id) == ["12"])
    let error = #expect(throws: RegionsError.self) { try tracks.leaveOut(["12", "7"]) }
    #expect(error.map { "\($0)".contains("the id 7; ids are 1, 1.1, 12") } == true)
  }
}
