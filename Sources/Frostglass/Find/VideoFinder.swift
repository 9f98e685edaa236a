package import FrostglassCore
package import FrostglassFind

/// Finds things to hide in a video as its frames come, in memory for a few of them.
package struct VideoFinder {
  /// A frame that waits for the verdict whether a cut is before or after it.
  private struct Waiting {
    var image: Image
    var plane: LumaPlane
  }

  private let detector: any FrameDetector
  private let looks: FrameLooks
  /// True of what a user is willing to have covered.
  private let isWanted: @Sendable (Found) -> Bool
  private var cuts = CutFinder()
  private var tracker: Tracker
  private var waiting: [Waiting] = []
  /// Frames that came.
  package private(set) var frames = 0

  /// Begins a video.
  ///
  /// - Parameters:
  ///   - size: of its upright frames.
  ///   - isWanted: true for findings that may be covered; the others are left alone.
  package init(
    size: Size, looks: FrameLooks, detector: any FrameDetector,
    rules: TrackingRules = TrackingRules(),
    isWanted: @escaping @Sendable (Found) -> Bool = { _ in true }
  ) {
    (self.detector, self.looks, self.isWanted) = (detector, looks, isWanted)
    tracker = Tracker(width: size.width, height: size.height, rules: rules)
  }

  /// Takes the next frame: an upright image of 8-bit red, green and blue.
  package mutating func add(_ image: Image) async throws(VideoFileError) {
    let plane = LumaPlane(shrinking: image)
    cuts.add(plane)
    frames += 1
    waiting.append(Waiting(image: image, plane: plane))
    // The last frame of a shot is known as such when the verdict on the next one is.
    if waiting.count > CutFinder.delay + 1 { try await look() }
  }

  /// Looks at the frame that waits for the longest.
  private mutating func look() async throws(VideoFileError) {
    let (frame, next) = (frames - waiting.count, waiting.removeFirst())
    let begins = cuts.beginsShot(frame)
    let isEdge = begins || waiting.isEmpty || cuts.beginsShot(frame + 1)
    let due = looks.looks(at: frame, isEdge: isEdge)
    let found = due.isEmpty ? [] : try await detector.find(in: next.image, by: due)
    tracker.add(
      next.plane, beginsShot: begins, found: found.filter(isWanted),
      unwanted: found.filter { !isWanted($0) })
  }

  /// Ends the video.
  package mutating func finish() async throws(VideoFileError) -> FoundTracks {
    while !waiting.isEmpty { try await look() }
    return tracker.finish()
  }
}

/// Finds things to hide in the frames of a video.
package protocol FrameDetector: Sendable {
  /// Returns everything found in a frame, in its pixels, with any score.
  ///
  /// - Parameter image: an upright frame of 8-bit red, green and blue.
  /// - Throws: `VideoFileError` where it cannot look.
  func find(in image: Image, by looks: Set<FrameLooks.Look>) async throws(VideoFileError) -> [Found]
}

/// The choice of frames of a video to look at, and of the looks.
package struct FrameLooks: Sendable, Hashable {
  /// A look at a frame.
  package enum Look: Sendable, Hashable {
    /// The quick detector, at a small image.
    case small
    /// The quick detector, at a large image, for small things.
    case large
    /// The detector that sees in the dark, at a small image.
    case dark
    /// The detector that sees in the dark, at a large image.
    case darkLarge
  }

  private let effort: FindEffort

  /// Creates a choice.
  package init(_ effort: FindEffort) { self.effort = effort }

  /// Returns the looks at a frame: with a quick effort at every fifth one, with others at every one; at every tenth or
  /// fifth in the dark, and at every fifth or one for small things, too.
  ///
  /// - Parameter isEdge: true for the first and last frame of a shot, which are always looked at.
  package func looks(at frame: Int, isEdge: Bool) -> Set<Look> {
    func isDue(each step: Int) -> Bool { isEdge || frame.isMultiple(of: step) }
    var looks: Set<Look> = []
    switch effort {
    case .quick:
      if isDue(each: 5) { looks.insert(.small) }
      if isDue(each: 10) { looks.insert(.dark) }
    case .normal:
      looks.insert(.small)
      if isDue(each: 5) { looks.formUnion([.large, .dark]) }
    case .thorough:
      looks.formUnion([.small, .large])
      if isDue(each: 5) { looks.insert(.darkLarge) }
    }
    return looks
  }
}

extension Tracks {
  /// Creates tracks of what was found in a video. Boxes come with all margins: nothing is to be added to them.
  ///
  /// - Parameters:
  ///   - size: of the video's upright frames.
  ///   - frames: the number of its frames.
  package init(_ found: FoundTracks, size: Size, frames: Int) {
    let tracks = found.tracks.map { track in
      var keys = track.places.map { place in
        Key(
          at: Double(place.frame), shape: MaskShape(around: place.box),
          score: place.score.map { ($0 * 1000).rounded() / 1000 }, state: State(place.source))
      }
      if let last = track.places.last?.frame, last + 1 < frames {
        keys.append(Key(at: Double(last + 1), shape: nil))
      }
      return Track(id: track.id, label: track.label, keys: keys)
    }
    self.init(.frames, tracks, longestStep: 1, size: size, length: Double(frames))
  }

  private typealias State = TrackSampler.State
}

extension TrackSampler.State {
  fileprivate init(_ source: FoundTrack.Source) {
    self =
      switch source {
      case .measured: .measured
      case .between: .interpolated
      case .held: .held
      }
  }
}

extension MaskShape {
  /// The rectangle of a box, rounded outward to tenths of pixels.
  fileprivate init(around box: FoundBox) {
    func down(_ value: Double) -> Double { (value * 10).rounded(.down) / 10 }
    func up(_ value: Double) -> Double { (value * 10).rounded(.up) / 10 }
    let (left, top) = (down(box.left), down(box.top))
    self = .rectangle(
      x: Length(left), y: Length(top),
      width: Length((up(box.right) - left).rounded(places: 1)),
      height: Length((up(box.bottom) - top).rounded(places: 1)))
  }
}
