internal import CVips
internal import FrostglassCore
internal import Glibc

/// A source whose header has been read: recognized, allowed, and not yet decoded.
struct OpenStill {
  let name: String
  let format: StillFormat
  let picture: VipsPicture
  let shape: PixelShape
  private let bytes: ByteSource
  private let loader: StillLoader

  /// The upright size.
  var size: Size {
    let stored = picture.size
    return picture.orientation >= 5
      ? Size(width: stored.height, height: stored.width) : stored
  }

  init(_ source: StillSource) throws(DecodeError) {
    if let failure = VipsRuntime.failure { throw .codecUnavailable(reason: failure.reason) }
    let name = source.name
    bytes = try ByteSource(source)
    loader = try bytes.loader(name: name)
    do throws(VipsFailure) {
      picture = try bytes.load(loader.strictness)
    } catch {
      // An intact TIFF of doubles: libvips 8.14 reads samples of up to 32 bits.
      throw error.reason == "samples out of range"
        ? .unsupportedPixels(name: name, found: "wider than 32 bits")
        : .damaged(name: name, reason: error.reason)
    }
    guard let shape = PixelShape(picture) else {
      throw .unsupportedPixels(name: name, found: PixelShape.words(for: picture.bandFormat))
    }
    self.name = name
    self.shape = shape
    format = loader.format(of: picture)
  }

  /// The same picture, as stored, with sides at least twice as long as those of `size`, or its own
  /// where it has no smaller ones; for scaling down, which then has less to do.
  func shrunk(for size: Size) throws(VipsFailure) -> VipsPicture {
    guard format == .jpeg else { return picture }
    let stored = picture.size
    let shrink = [8, 4, 2].first {
      stored.width >= 2 * $0 * size.width && stored.height >= 2 * $0 * size.height
    }
    guard let shrink else { return picture }
    return try bytes.loadJPEG(loader.strictness, shrink: shrink)
  }
}
