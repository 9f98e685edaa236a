/// The rows of frames below each other, as a saver asks for them; frames are let go of when their last
/// row is out.
final class FrameRows {
  private let queue: FrameQueue
  private let frames: Int
  private let size: Size
  private let format: PixelFormat
  private var image: Image?
  private var row = 0
  private var taken = 1

  init(_ first: Image, from queue: FrameQueue, frames: Int) {
    (image, size, format) = (first, first.size, first.format)
    self.queue = queue
    self.frames = frames
  }

  /// All rows.
  var all: StillRows {
    StillRows(size: Size(width: size.width, height: size.height * frames), format: format) {
      [self] target in try next(into: target)
    }
  }

  private func next(into target: UnsafeMutableRawPointer) throws(FrostglassError) {
    if row == size.height {
      image = nil
      image = queue.take()?.image
      row = 0
      taken += 1
    }
    guard let image else { throw .frames(.incomplete(frames: frames, given: taken - 1)) }
    let start = row * image.bytesPerRow
    let count = size.width * format.bytesPerPixel
    image.bytes.withUnsafeBytes { bytes in
      UnsafeMutableRawBufferPointer(start: target, count: count)
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<start + count]))
    }
    row += 1
    if row == size.height { self.image = nil }
  }
}
