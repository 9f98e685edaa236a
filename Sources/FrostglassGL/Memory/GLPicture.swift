public import FrostglassCore
internal import Synchronization

/// A picture that is kept on the device: what `GLBackend.upload` gives, and what plans make of it.
///
/// It is a ticket: it can be passed around and shared freely, while the samples stay where they
/// are. They are held in four channels of the format's depth, so that every result can be the
/// next plan's input as it is; bytes that come down are those that went up. When the last reference
/// goes, the memory goes back to the backend. Until then the picture keeps its backend alive.
public final class GLPicture: ResidentPicture {
  /// Width and height in pixels.
  public let size: Size
  /// Channels and their depth.
  public let format: PixelFormat
  /// The alpha mode of the samples.
  public let alpha: AlphaMode
  /// The transfer of the samples: encoded or linear light.
  public let transfer: PixelFormat.Transfer
  /// Bytes it takes on the device: at least those of an image of its format.
  public let bytes: Int
  let backend: GLBackend
  let id: Int
  private let released: ReleasedPictures

  init(
    _ description: Plan.Input, bytes: Int, id: Int, of released: ReleasedPictures,
    on backend: GLBackend
  ) {
    size = description.size
    format = description.format
    alpha = description.alpha
    transfer = description.transfer
    self.bytes = bytes
    self.id = id
    self.released = released
    self.backend = backend
  }

  deinit {
    guard released.add(id) else { return }
    // The next call frees it anyway; there may be none.
    Task.detached { [backend] in await backend.freeReleasedPictures() }
  }

  /// The input that a plan has to be made for to take this image.
  public var input: Plan.Input {
    Plan.Input(size: size, format: format, alpha: alpha, transfer: transfer)
  }

  /// Returns true if the image is one of those kept in `pictures`.
  func belongs(to pictures: ResidentPictures) -> Bool { released === pictures.released }
}

/// Pictures that nobody refers to any more, on their way to the thread that can free them.
///
/// One per set of resident pictures, so it also tells to which set a picture belongs.
final class ReleasedPictures: Sendable {
  private let ids = Mutex<[Int]>([])

  /// Notes a picture that has gone.
  ///
  /// - Returns: whether it is the first since the last `take`.
  func add(_ id: Int) -> Bool {
    ids.withLock { ids in
      ids.append(id)
      return ids.count == 1
    }
  }

  /// All that have gone since the last time.
  func take() -> [Int] {
    ids.withLock { ids in
      defer { ids = [] }
      return ids
    }
  }
}

/// The layout of an image's bytes, row by row, in a texture of four bytes per texel.
struct PackedPicture: Hashable {
  /// Texels per row where there are enough: short enough for every device.
  private static let width = 2048

  let format: PixelFormat
  /// The picture's.
  let size: Size
  /// The texture's; its last row may have texels that are of no matter.
  let texels: Size

  /// - Parameter longestSide: of a texture.
  init(_ size: Size, _ format: PixelFormat, longestSide: Int) {
    self.size = size
    self.format = format
    let count = (size.area * format.bytesPerPixel + 3) / 4
    // Wider where there would be too many rows.
    let width = min(count, max(PackedPicture.width, (count + longestSide - 1) / longestSide))
    texels = Size(width: width, height: (count + width - 1) / width)
  }
}
