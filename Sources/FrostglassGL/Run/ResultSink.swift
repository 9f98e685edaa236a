internal import FrostglassCore

/// Where a run's result goes, part after part.
protocol ResultSink: AnyObject {
  /// Has a part of the result drawn and takes it.
  ///
  /// - Parameter draw: writes the part to a texture of its size, in the result's `WorkFormat`.
  func write(
    _ part: Rect, _ draw: (GLTexture) throws(GLFailure) -> Void
  ) throws(GLFailure)
}
