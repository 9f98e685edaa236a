package import FrostglassCore
package import FrostglassFind

/// Finds things to hide in a video as its frames come, in memory for a few of them.
package struct FilmFinder {
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
  package mutating func add(_ image: Image) async throws(FilmError) {
    let plane = LumaPlane(shrinking: image)
    cuts.add(plane)
    frames += 1
    waiting.append(Waiting(image: image, plane: plane))
    // The last frame of a shot is known as such when the verdict on the next one is.
    if waiting.count > CutFinder.delay + 1 { try await look() }
  }

  /// Looks at the frame that waits for the longest.
  private mutating func look() async throws(FilmError) {
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
  package mutating func finish() async throws(FilmError) -> FoundTracks {
    while !waiting.isEmpty { try await look() }
    return tracker.finish()
  }
}
