internal import Synchronization

/// Where the frames of a scene go: a picture, numbered files or an animation.
///
///     let sink = try FrameSink(
///       .file("bar.webp", overwrite: false), frames: 120, framesPerSecond: 60)
///     for frame in frames { try await sink.write(frame) }
///     try await sink.finish()
///
/// Frames are written in threads of their own while the next ones are made; a few at a time are kept,
/// however many there are. Every file appears whole or not at all: an animation when all frames are
/// there, numbered files one by one. A sink that is let go of before it is finished writes no more.
public final class FrameSink: Sendable {
  /// What the frames become.
  public let form: FrameForm
  /// The format of the file, or of each file. A frame's pixels must be of a kind that its
  /// `pixelFormat(preserving:)` gives back unchanged: JPEG takes no alpha.
  public let format: StillFormat
  /// Frames that are to come.
  public let frames: Int
  private let queue: FrameQueue
  private let writer: FrameWriter
  private let state = Mutex(State())

  private struct State {
    var given = 0
    var shape: Shape?
  }

  private struct Shape: Equatable {
    var size: Size
    var format: PixelFormat
  }

  /// Finds what can be found of trouble before any frame is made, and changes nothing.
  ///
  /// - Parameters:
  ///   - sink: a name with one `%d` or `%04d` stands for numbered files, whose folder is made if it
  ///     is not there; `%%` is a percent sign. Another name is one file: a still of one frame, an
  ///     animation, which plays for ever, of several.
  ///   - frames: how many will be given, 1 or more.
  ///   - framesPerSecond: of an animation: up to 50 for GIF, 90 for WebP.
  ///   - format: `nil` takes it from the name, and PNG for standard output.
  /// - Throws: `FrostglassError.frames` for a name or a rate that does not fit, `.encode` for what is
  ///   there already, or cannot be written.
  public init(
    _ sink: StillSink, frames: Int, framesPerSecond: Double = 30, format: StillFormat? = nil,
    encoding: EncodeOptions = EncodeOptions()
  ) throws(FrostglassError) {
    precondition(frames >= 1, "there is at least one frame")
    let target: FrameTarget
    do throws(FrameSinkError) { target = try FrameTarget(sink) } catch { throw .frames(error) }
    do throws(EncodeError) {
      self.format = try target.sink.format(format, input: .png)
    } catch { throw .encode(error) }
    form = try target.form(frames: frames, rate: framesPerSecond, as: self.format)
    do throws(EncodeError) { try target.preflight(frames: frames) } catch { throw .encode(error) }
    self.frames = frames
    writer = FrameWriter(
      target: target, form: form, format: self.format, frames: frames, rate: framesPerSecond,
      encoder: StillEncoder(encoding))
    queue = FrameQueue(capacity: 2, writers: writer.threads)
  }

  deinit { queue.fail(.frames(.incomplete(frames: frames, given: state.withLock { $0.given }))) }

  /// Takes the next frame, and waits while there is much to write; one caller at a time.
  ///
  /// - Parameter image: of the same size and pixel format as the others, 8-bit RGB or RGBA with
  ///   straight alpha.
  /// - Throws: `FrostglassError.encode` for what went wrong with this frame or with one before.
  public func write(_ image: Image) async throws(FrostglassError) {
    let shape = Shape(size: image.size, format: image.format)
    let index = state.withLock { state in
      precondition(state.given < frames, "no more frames than were announced")
      precondition(state.shape == nil || state.shape == shape, "frames are alike")
      state.shape = shape
      state.given += 1
      return state.given - 1
    }
    if index == 0 { try writer.start(queue) }
    try await queue.put(FrameQueue.Frame(index: index, image: image))
  }

  /// Waits until everything is written. Nothing may be written afterward.
  ///
  /// - Throws: `FrostglassError.encode` for what went wrong, `.frames` when frames are missing; then
  ///   nothing was written of an animation.
  public func finish() async throws(FrostglassError) {
    let given = state.withLock { $0.given }
    guard given == frames else {
      let error = FrostglassError.frames(.incomplete(frames: frames, given: given))
      queue.fail(error)
      if given > 0 { try await queue.finish() }
      throw error
    }
    try await queue.finish()
  }
}
