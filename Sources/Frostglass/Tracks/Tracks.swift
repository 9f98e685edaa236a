package import FrostglassCore

/// Regions over the time of a video: what is where when, as trackers and annotation tools write it.
package struct Tracks: Sendable, Hashable {
  /// The unit of the times of keys.
  package enum Clock: String, Sendable, Hashable {
    /// Frames, from 0, in the order in which they are shown.
    case frames
    /// Seconds after the first frame.
    case seconds
  }

  /// The position of one thing at one time.
  package struct Key: Sendable, Hashable {
    /// The time, by the tracks' clock.
    package var at: Double
    /// The time until which it stays unchanged, excluded; infinity is the end of the video. `nil` says nothing
    /// about later times.
    package var until: Double?
    /// The area it covers; `nil` once it is gone.
    package var shape: MaskShape?
    /// The detector's confidence, usually from 0 to 1.
    package var score: Double?
    /// The evidence for the position; `nil` if it is measured.
    package var state: TrackSampler.State?

    package init(
      at: Double, until: Double? = nil, shape: MaskShape?, score: Double? = nil,
      state: TrackSampler.State? = nil
    ) {
      self.state = state == .measured ? nil : state
      self.at = at
      self.until = until
      self.shape = shape
      self.score = score
    }
  }

  /// A thing on its way through the video.
  package struct Track: Sendable, Hashable {
    /// The identifier; `nil` for a thing found once and not followed.
    package var id: String?
    /// The label, such as `face`.
    package var label: String?
    /// The keys, one or more, each later than the one before.
    package var keys: [Key]

    package init(id: String? = nil, label: String? = nil, keys: [Key]) {
      self.id = id
      self.label = label
      self.keys = keys
    }

    /// The name in messages.
    var words: String { id.map { "track \($0)" } ?? "a region without an id" }
  }

  /// The unit of the times of keys.
  package var clock: Clock
  /// The tracks, one or more.
  package var tracks: [Track]
  /// The longest distance between two keys that is interpolated. A longer one is a gap, in which the thing was
  /// lost. 1 where every frame was looked at; `nil` where keys are far apart on purpose.
  package var longestStep: Double?
  /// The size of the video's frames, where that is said.
  package var size: Size?
  /// The length of the video in frames or seconds, where it is given.
  package var length: Double?

  package init(
    _ clock: Clock, _ tracks: [Track], longestStep: Double? = nil, size: Size? = nil,
    length: Double? = nil
  ) {
    self.clock = clock
    self.tracks = tracks
    self.longestStep = longestStep
    self.size = size
    self.length = length
  }

  /// Up to where something is said: one more than the last frame, or the last second.
  package var end: Double {
    tracks.lazy.flatMap(\.keys).map { key in
      guard let until = key.until, until.isFinite else {
        return clock == .frames ? key.at + 1 : key.at
      }
      return until
    }.max() ?? 0
  }

  /// The gaps in which things are lost that are there before and after.
  package var gaps: [(track: Track, from: Double, to: Double)] {
    guard let longestStep else { return [] }
    return tracks.flatMap { track in
      zip(track.keys, track.keys.dropFirst()).compactMap { near, far in
        near.shape != nil && near.until == nil && far.shape != nil
          && far.at - near.at > longestStep ? (track, near.at, far.at) : nil
      }
    }
  }

  /// A time as messages call it: `frame 12` or `2.5 s`.
  func words(_ time: Double) -> String {
    clock == .frames ? "frame \(shortest(time))" : "\(shortest(time)) s"
  }
}

/// Keys as tables list them, each with the track to which it belongs.
struct TrackRows {
  /// One of them.
  struct Row {
    var id: String?
    var label: String?
    var key: Tracks.Key
    var place: TextPosition
    /// The file, where there are several.
    var file = ""
  }

  var rows: [Row] = []

  /// The tracks in the order of their first keys; what has no id is alone.
  ///
  /// - Throws: `RegionsError.malformed` where a track is in two places at once.
  func tracks(_ clock: Tracks.Clock) throws(RegionsError) -> [Tracks.Track] {
    var tracks: [Tracks.Track] = []
    var known: [String: Int] = [:]
    var places: [[Int]] = []
    for (index, row) in rows.enumerated() {
      if let id = row.id, let track = known[id] {
        tracks[track].label = tracks[track].label ?? row.label
        places[track].append(index)
      } else {
        if let id = row.id { known[id] = tracks.count }
        tracks.append(Tracks.Track(id: row.id, label: row.label, keys: []))
        places.append([index])
      }
    }
    for track in tracks.indices {
      let own = places[track].sorted { rows[$0].key.at < rows[$1].key.at }
      for (near, far) in zip(own, own.dropFirst()) where rows[near].key.at == rows[far].key.at {
        let (row, words) = (rows[max(near, far)], tracks[track].words)
        let time = Tracks(clock, []).words(row.key.at)
        throw .malformed(
          path: row.file, place: row.place, reason: "\(words) is in two places at \(time)")
      }
      tracks[track].keys = own.map { rows[$0].key }
    }
    return tracks
  }
}

extension Tracks {
  /// Puts the rows of a table together.
  init(
    _ clock: Clock, _ rows: TrackRows, longestStep: Double? = nil, size: Size? = nil,
    length: Double? = nil
  ) throws(RegionsError) {
    self.init(
      clock, try rows.tracks(clock), longestStep: longestStep, size: size, length: length)
  }
}

extension MaskShape {
  /// Returns the same shape with all lengths in pixels.
  package func inPixels(of size: Size, scale: Double) -> MaskShape {
    func along(_ length: Length, _ side: Int) -> Length {
      switch length.unit {
      case .pixels: length
      case .points: Length(length.value * scale)
      case .percent: Length(length.value / 100 * Double(side))
      }
    }
    func corner(_ corner: Corner) -> Corner {
      Corner(x: along(corner.x, size.width), y: along(corner.y, size.height))
    }
    switch self {
    case .rectangle(let x, let y, let width, let height, let radius, let isContinuous):
      return .rectangle(
        x: along(x, size.width), y: along(y, size.height), width: along(width, size.width),
        height: along(height, size.height), radius: along(radius, size.shorterSide),
        isContinuous: isContinuous)
    case .ellipse(let x, let y, let width, let height):
      return .ellipse(
        x: along(x, size.width), y: along(y, size.height), width: along(width, size.width),
        height: along(height, size.height))
    case .polygon(let corners): return .polygon(corners.map(corner))
    case .gradient, .picture: return self
    }
  }

  /// The upright rectangle around a shape whose lengths are in one unit; `nil` for gradients and
  /// images.
  var box: (x: Double, y: Double, width: Double, height: Double)? {
    switch self {
    case .rectangle(let x, let y, let width, let height, _, _),
      .ellipse(let x, let y, let width, let height):
      return (x.value, y.value, width.value, height.value)
    case .polygon(let corners):
      let (xs, ys) = (corners.map(\.x.value), corners.map(\.y.value))
      guard let left = xs.min(), let right = xs.max(), let top = ys.min(), let bottom = ys.max()
      else { return nil }
      return (left, top, right - left, bottom - top)
    case .gradient, .picture: return nil
    }
  }

  /// True if any of its lengths is not in pixels.
  var needsSize: Bool {
    func isShare(_ lengths: [Length]) -> Bool { lengths.contains { $0.unit != .pixels } }
    switch self {
    case .rectangle(let x, let y, let width, let height, _, _),
      .ellipse(let x, let y, let width, let height):
      return isShare([x, y, width, height])
    case .polygon(let corners): return isShare(corners.flatMap { [$0.x, $0.y] })
    case .gradient, .picture: return false
    }
  }
}

extension Tracks {
  /// Returns the same tracks with times in frames: the nearest one, or all that a span of time touches.
  func inFrames(_ rate: FrameRate?) throws(RegionsError) -> Tracks {
    guard clock == .seconds else { return self }
    guard let rate else { throw Self.noRate }
    let perSecond = Double(rate.frames) / Double(rate.seconds)
    var other = self
    other.clock = .frames
    other.length = length.map { ($0 * perSecond).rounded() }
    other.longestStep = longestStep.map { max(1, ($0 * perSecond).rounded()) }
    for track in tracks.indices {
      var keys: [Key] = []
      for var key in tracks[track].keys {
        let at = key.at * perSecond
        key.at = key.until == nil ? at.rounded() : (at + 1e-6).rounded(.down)
        key.until = key.until.map { $0.isFinite ? ($0 * perSecond - 1e-6).rounded(.up) : $0 }
        // Of several in one frame the last one is as good as any.
        if keys.last?.at == key.at { keys.removeLast() }
        keys.append(key)
      }
      other.tracks[track].keys = keys
    }
    return other
  }

  /// Returns the same tracks with times in seconds.
  func inSeconds(_ rate: FrameRate?) throws(RegionsError) -> Tracks {
    guard clock == .frames else { return self }
    guard let rate else { throw Self.noRate }
    let frame = Double(rate.seconds) / Double(rate.frames)
    var other = self
    other.clock = .seconds
    other.length = length.map { $0 * frame }
    other.longestStep = longestStep.map { $0 * frame * 1.01 }
    for track in tracks.indices {
      for key in tracks[track].keys.indices {
        other.tracks[track].keys[key].at *= frame
        other.tracks[track].keys[key].until = tracks[track].keys[key].until.map { $0 * frame }
      }
    }
    return other
  }

  private static var noRate: RegionsError {
    .unfit(
      path: "", reason: "one counts frames and the other seconds; --rate N says how many a second")
  }
}

extension Tracks.Track {
  /// Says at all of its keys that nothing is covered.
  fileprivate mutating func coverNothing() {
    for key in keys.indices { (keys[key].shape, keys[key].state) = (nil, nil) }
  }
}

extension Tracks {
  /// Leaves out tracks by label and score.
  ///
  /// A track stays or goes as a whole: it goes if all of its measured keys have scores and none is high enough. A track
  /// left out remains as one that covers nothing, as the file still covers the same part of the video.
  ///
  /// - Returns: the number of tracks left out, and the labels of the filter that no track has.
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
      } else if case let seen = shown.filter({ $0.state == nil }), !seen.isEmpty,
        !seen.contains(where: { filter.takes(score: $0.score) })
      {
        leftOut.byScore += 1
      } else {
        continue
      }
      tracks[index].coverNothing()
    }
    guard tracks.contains(where: { $0.keys.contains { $0.shape != nil } }) else {
      throw .allLeftOut(path: path, picture: nil, leftOut: leftOut)
    }
    return (leftOut, missing)
  }

  /// Leaves out tracks by their ids, with their pieces: `7` takes `7.1` along. They are there still, and cover
  /// nothing.
  ///
  /// - Throws: `RegionsError.unfit` for an id that no track has.
  package mutating func leaveOut(_ ids: [String]) throws(RegionsError) {
    for id in ids {
      let own = tracks.indices.filter { index in
        tracks[index].id.map { $0 == id || $0.hasPrefix("\(id).") } ?? false
      }
      guard !own.isEmpty else {
        let known = tracks.compactMap(\.id)
        let words = known.prefix(20).joined(separator: ", ") + (known.count > 20 ? ", …" : "")
        throw .unfit(
          path: "",
          reason: "no track has the id \(id); "
            + (known.isEmpty ? "none has one" : "ids are \(words)"))
      }
      for index in own { tracks[index].coverNothing() }
    }
  }
}
