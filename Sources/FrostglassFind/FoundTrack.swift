/// A thing on its way through a video, with what is to be covered of it.
public struct FoundTrack: Sendable, Hashable {
  /// The knowledge by which a place is covered, from the least to the most.
  public enum Source: String, Sendable, Hashable, Comparable, CaseIterable {
    /// Followed from before its first or after its last sighting.
    case held
    /// Followed between two sightings.
    case between
    /// Seen in this very frame.
    case measured

    /// True if the first one is the lesser knowledge.
    public static func < (one: Source, other: Source) -> Bool { one.rank < other.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  }

  /// The covered area in one frame.
  public struct Place: Sendable, Hashable {
    /// The frame's number, from 0.
    public var frame: Int
    /// The box, with all margins.
    public var box: FoundBox
    /// The way it is known.
    public var source: Source
    /// The highest score of what was seen in this frame; `nil` where nothing was.
    public var score: Double?

    /// Creates a place.
    public init(frame: Int, box: FoundBox, source: Source, score: Double? = nil) {
      (self.frame, self.box, self.source, self.score) = (frame, box, source, score)
    }
  }

  /// A number from 1 on; pieces of a track apart from it have its number, a dot, and a number of their own.
  public var id: String
  /// The kind of thing, such as `face`.
  public var label: String
  /// One or more, of different frames, in their order.
  public var places: [Place]
  /// True if it ends within a shot, with its last sighting inside the image: it was lost and not found again.
  public var leavesOff: Bool

  /// Creates a track.
  public init(id: String, label: String, places: [Place], leavesOff: Bool) {
    (self.id, self.label, self.places, self.leavesOff) = (id, label, places, leavesOff)
  }

  /// The track's number: that of the piece's track for a piece.
  public var number: Substring { id.prefix { $0 != "." } }
  /// The lowest and the highest score of what was seen; `nil` where it was only followed.
  public var scores: ClosedRange<Double>? {
    let scores = places.compactMap(\.score)
    guard let low = scores.min(), let high = scores.max() else { return nil }
    return low...high
  }
}

/// A thing that was seen and is not covered, as no sighting of it is sure enough.
public struct LeftAlone: Sendable, Hashable {
  /// The frame in which it was seen most certainly.
  public var frame: Int
  /// Its box there, without margins.
  public var box: FoundBox
  /// Its highest score.
  public var score: Double
  /// The kind of thing, such as `face`.
  public var label: String

  /// Creates a thing.
  public init(frame: Int, box: FoundBox, score: Double, label: String) {
    (self.frame, self.box, self.score, self.label) = (frame, box, score, label)
  }
}

/// The things found in a video.
public struct FoundTracks: Sendable, Hashable {
  /// The things to cover, in the order of their first frames.
  public var tracks: [FoundTrack]
  /// The things seen and not covered, most certain first.
  public var leftAlone: [LeftAlone]
  /// The highest score of the thing that is the least certain; `nil` where nothing was found.
  public var lowestStart: Double?

  /// Creates what was found.
  public init(tracks: [FoundTrack], leftAlone: [LeftAlone], lowestStart: Double? = nil) {
    (self.tracks, self.leftAlone, self.lowestStart) = (tracks, leftAlone, lowestStart)
  }

  /// The number of different things to cover.
  public var count: Int { Set(tracks.map(\.number)).count }

  /// The number of places that are known in one way.
  public func places(_ source: FoundTrack.Source) -> Int {
    tracks.reduce(0) { $0 + $1.places.count { $0.source == source } }
  }
}
