internal import FrostglassCore
internal import FrostglassShaders

/// Whether there is room for a picture.
extension ResidentPictures {
  /// Bytes of the pictures that are kept.
  var lentBytes: Int { runner.pool.statistics.lentBytes }

  /// Refuses a picture that the device has no room for.
  ///
  /// - Parameter taken: bytes that are of no use to it.
  func check(
    _ size: Size, _ format: PixelFormat, beside taken: Int = 0
  ) throws(GLFailure) {
    let side = runner.limits.longestSide
    guard max(size.width, size.height) <= side else {
      throw .unsupported(
        "a picture of \(size) kept on the device, which takes \(side)×\(side) at most; "
          + "images in memory can be larger")
    }
    let bytes = size.area * WorkFormat(result: format.depth).texture.bytesPerTexel
    guard bytes <= runner.limits.bytes - taken else {
      let others = taken > 0 ? ", of which \(taken) are taken" : ""
      throw .unsupported(
        "a picture of \(size) and \(bytes) bytes kept on the device, which takes "
          + "\(runner.limits.bytes) bytes at most\(others); images in memory can be larger")
    }
  }
}
