internal import FrostglassCore

/// Memory on its way from a caller's image to the result that is written to it.
///
/// It has one owner at a time, so that nothing is copied where it is written.
final class ResultMemory {
  private var bytes: [UInt8] = []

  /// None: the result gets new memory.
  init() {}

  /// The bytes of an image, which has none after.
  init(of image: inout Image) {
    swap(&bytes, &image.bytes)
  }

  /// The memory; empty from the second time on.
  func take() -> [UInt8] {
    var taken: [UInt8] = []
    swap(&bytes, &taken)
    return taken
  }
}
