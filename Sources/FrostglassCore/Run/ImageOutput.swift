internal import Synchronization

/// The output of a result in memory, with memory that may be reused for it.
public final class ImageOutput: Sendable {
  private let image: Mutex<Image?>

  /// - Parameter image: its memory is used again where it has the result's size and format. A result
  ///   goes to the caller's memory that it may show even where a backend needs memory of its own.
  public init(reusing image: consuming Image? = nil) { self.image = Mutex(image) }

  /// Takes the image out; `nil` before the run, after one that failed, and the second time.
  public func take() -> Image? {
    image.withLock { image in
      defer { image = nil }
      return image
    }
  }

  /// Hands over a result.
  ///
  /// Where there still is an image in the caller's memory, the result goes there.
  package func put(_ made: consuming Image) {
    let made = made
    image.withLock { image in
      guard var room = image, room.isInCallersMemory, Plan.Input(room) == Plan.Input(made) else {
        image = made
        return
      }
      image = nil
      room.copyRows(of: made)
      image = room
    }
  }

  /// An image of its own that was to be used again; one in the caller's memory stays.
  package func takeOwned() -> Image? {
    image.withLock { image in
      guard let room = image, !room.isInCallersMemory else { return nil }
      image = nil
      return room
    }
  }

  /// Refuses a result that there is no memory for.
  func check(_ result: Plan.Result) throws(BackendError) {
    let isThere = image.withLock { $0.map { $0.isReady(for: result) } ?? false }
    if !isThere { try MemoryRoom.check(Plan.Input(result)) }
  }

  /// An image to write a result to; what was there before where that fits.
  package func room(for result: Plan.Result) -> Image {
    if let image = take(), image.isReady(for: result) { return image }
    return Image(uninitialized: Plan.Input(result))
  }
}

extension Image {
  /// Returns true if a result can be written into this image as it is.
  fileprivate func isReady(for result: Plan.Result) -> Bool {
    Plan.Input(self) == Plan.Input(result)
      && byteCount >= neededBytes
  }

  /// Takes over the pixels of an image of the same size and format.
  fileprivate mutating func copyRows(of other: Image) {
    let (from, to) = (other.bytesPerRow, bytesPerRow)
    let (length, height) = (size.width * format.bytesPerPixel, size.height)
    withUnsafeMutableBytes { target in
      other.withUnsafeBytes { source in
        for y in 0..<height {
          UnsafeMutableRawBufferPointer(rebasing: target[y * to..<y * to + length])
            .copyMemory(from: .init(rebasing: source[y * from..<y * from + length]))
        }
      }
    }
  }
}
