package import FrostglassCore
package import FrostglassFind

/// Finds things to hide in the frames of a video.
package protocol FrameDetector: Sendable {
  /// Returns everything found in a frame, in its pixels, with any score.
  ///
  /// - Parameter image: an upright frame of 8-bit red, green and blue.
  /// - Throws: `FilmError` where it cannot look.
  func find(in image: Image, by looks: Set<FrameLooks.Look>) async throws(FilmError) -> [Found]
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
