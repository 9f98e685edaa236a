package import Frostglass
package import FrostglassOptions
package import FrostglassStills

/// A search for faces in images, which a worker has made ready before it goes behind its walls.
///
/// The networks run in a process of their own, with walls of its own: this one only hands it pixels.
package protocol ImageFinder: Sendable {
  /// False once that process is gone: behind walls no other can be started.
  var canSearch: Bool { get }

  /// Searches an image.
  ///
  /// - Parameters:
  ///   - decoding: as the image is read for what is done with it: places are those of that image.
  ///   - output: what is written; where that is a still, only its frame of an animation is searched. `nil` takes all.
  /// - Throws: `Failure` with words for the one who asked.
  func record(
    of source: StillSource, _ decoding: DecodeOptions, for output: Job.Output?,
    _ options: FindOptions
  ) async throws(Failure) -> FindRecord

  /// Returns the faces of an image as a file that `regions` takes.
  func file(_ record: FindRecord, named name: String) -> String
}
