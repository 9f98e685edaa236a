public import FrostglassCore
public import FrostglassStills
internal import Synchronization

/// A destination for the frames of a scene: an image, numbered files, an animation or a video.
///
///     let sink = try FrameSink(
///       .file("bar.webp", overwrite: false), frames: 120, framesPerSecond: 60)
///     for frame in frames { try await sink.write(frame) }
///     try await sink.finish()
///
/// Threads of its own write frames while the next ones are made. Only a few frames are kept in memory, however many
/// there are. Every file is published atomically: an animation after its last frame, numbered files one by one. A
/// sink that is released before it is finished stops writing.
public final class FrameSink: Sendable {
  /// The form in which frames are written.
  public let form: FrameForm
  /// The format of the file, or of each file; of no meaning for a video. A frame's pixels must be of a kind that its
  /// `pixelFormat(preserving:)` gives back unchanged: JPEG takes no alpha.
  public let format: StillFormat
  /// Frames that are to come.
  public let frames: Int
  private let queue: FrameQueue
  private let writer: FrameWriter
  private let edges = SoftEdges()
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
  ///   - frames: the number of frames that will be written, 1 or more.
  ///   - framesPerSecond: of an animation: up to 50 for GIF, 90 for WebP.
  ///   - format: `nil` takes it from the name, and PNG for standard output.
  /// - Throws: `FrostglassError.frames` for a name or a rate that does not fit, `.encode` for what is
  ///   there already, or cannot be written.
  public convenience init(
    _ sink: StillSink, frames: Int, framesPerSecond: Double = 30, format: StillFormat? = nil,
    encoding: EncodeOptions = EncodeOptions()
  ) throws(FrostglassError) {
    try self.init(sink, frames: frames, framesPerSecond, nil, format, encoding)
  }

  /// Frames that are shown each for a time of its own, where they become an animation.
  ///
  /// - Parameter animation: of all frames that will be given.
  /// - Throws: as for any other.
  package convenience init(
    _ sink: StillSink, showing animation: StillMetadata.Animation, format: StillFormat
  ) throws(FrostglassError) {
    try self.init(sink, frames: animation.frames, 1, animation, format, EncodeOptions())
  }

  /// - Parameters:
  ///   - rate: in frames per second.
  ///   - animation: `nil` shows all frames alike, by the rate.
  private init(
    _ sink: StillSink, frames: Int, _ rate: Double, _ animation: StillMetadata.Animation?,
    _ format: StillFormat?, _ encoding: EncodeOptions
  ) throws(FrostglassError) {
    precondition(frames >= 1, "there is at least one frame")
    let target = try mapped(FrostglassError.frames, FrameTarget(sink))
    self.format = try mapped(
      FrostglassError.encode, target.sink.format(format, input: .png))
    form = try target.form(frames: frames, rate: rate, as: self.format)
    try mapped(FrostglassError.encode, target.preflight(frames: frames))
    self.frames = frames
    var encoding = encoding
    if form == .animation, self.format == .webp, !encoding.lossless {
      encoding.effort = encoding.effort ?? FrameSink.webPEffort
    }
    writer = FrameWriter(
      target: target, form: form, format: self.format, frames: frames,
      animation: animation
        ?? StillMetadata.Animation(
          delays: FrameTimes.delays(frames: frames, rate: rate, format: self.format)),
      encoder: StillEncoder(encoding))
    queue = FrameQueue(capacity: 2, writers: writer.threads)
  }

  /// The default effort for compressing an animated WebP. Seven seconds of a scrolling page take half the time of a
  /// still's effort, and 4 % more bytes (docs/use/scenes.md). The time counts for each frame, as each is encoded
  /// separately.
  private static let webPEffort = 3

  /// A video, y4m. Its frames are what `SceneVideo` makes of images.
  ///
  /// - Parameter size: of the images.
  /// - Throws: as for any other.
  package init(
    video sink: StillSink, _ size: Size, frames: Int, framesPerSecond: Double
  ) throws(FrostglassError) {
    precondition(frames >= 1, "there is at least one frame")
    let target = try mapped(FrostglassError.frames, FrameTarget(sink))
    if let names = target.names { throw .frames(.numberedVideo(path: names.path(1))) }
    let header = try SceneVideo.header(size, rate: framesPerSecond)
    try mapped(FrostglassError.encode, target.preflight(frames: frames))
    (form, format, self.frames) = (.video, .png, frames)
    writer = FrameWriter(
      target: target, form: .video, format: .png, frames: frames, encoder: StillEncoder(),
      videoHeader: header)
    queue = FrameQueue(capacity: 2, writers: writer.threads)
  }

  deinit { queue.fail(.frames(.incomplete(frames: frames, given: state.withLock { $0.given }))) }

  /// Takes the next frame, and waits while there is much to write; one caller at a time.
  ///
  /// - Parameter image: of the same size and pixel format as the others, 8-bit RGB or RGBA with
  ///   straight alpha.
  /// - Throws: `FrostglassError.encode` for what went wrong with this frame or with one before, `.frames`
  ///   for one that is not like the first, or one too many; that is left out.
  public func write(_ image: Image) async throws(FrostglassError) {
    let shape = Shape(size: image.size, format: image.format)
    let index = try mapped(FrostglassError.frames, next(shape))
    if index == 0 { try writer.start(queue) }
    if form != .video, format == .gif { edges.look(at: image) }
    try await queue.put(FrameQueue.Frame(index: index, image: image))
  }

  /// True if the format made partly transparent pixels fully transparent or opaque.
  package var hasHardEdges: Bool { edges.wereFound }

  /// Counts a frame.
  ///
  /// - Returns: its number, from 0.
  private func next(_ shape: Shape) throws(FrameSinkError) -> Int {
    try state.withLock { state throws(FrameSinkError) in
      guard state.given < frames else { throw .tooMany(frames: frames) }
      if let first = state.shape, first != shape {
        throw .otherKind(
          expected: "\(first.size) \(first.format)", found: "\(shape.size) \(shape.format)")
      }
      state.shape = shape
      state.given += 1
      return state.given - 1
    }
  }

  /// Gives up: nothing has its place that has none yet.
  package func stop() { queue.stop() }

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

/// Takes frames from a queue and writes them, in threads of its own.
struct FrameWriter: Sendable {
  var target: FrameTarget
  var form: FrameForm
  var format: StillFormat
  var frames: Int
  /// The frame timing of an animation.
  var animation: StillMetadata.Animation?
  var encoder: StillEncoder
  /// The first bytes of a video.
  var videoHeader: [UInt8] = []

  /// The number of frames encoded at once. More frames take more memory. A single one leaves a core idle where
  /// frames are made faster than they are encoded.
  var threads: Int { form == .numbered ? min(2, frames) : 1 }

  /// - Throws: `FrameSinkError.noThread`.
  func start(_ queue: FrameQueue) throws(FrostglassError) {
    do { try target.makeFolder() } catch {
      queue.fail(.encode(error))
      for _ in 0..<threads { queue.leave() }
      throw .encode(error)
    }
    let running = (0..<threads).count { _ in
      BackgroundThread.start {
        do throws(FrostglassError) { try write(queue) } catch { queue.fail(error) }
        queue.leave()
      }
    }
    for _ in running..<threads { queue.leave() }
    // A single thread suffices, only slower.
    if running == 0 {
      queue.fail(.frames(.noThread))
      throw .frames(.noThread)
    }
  }

  private func write(_ queue: FrameQueue) throws(FrostglassError) {
    switch form {
    case .still, .animation: try writeRows(queue)
    case .numbered:
      while let frame = try queue.take() {
        try mapped(
          FrostglassError.encode,
          encoder.encode(frame.image, as: format, to: target.sink(for: frame.index)))
      }
    case .video: try writeVideo(queue)
    }
  }

  private func writeVideo(_ queue: FrameQueue) throws(FrostglassError) {
    var written = -1
    do {
      try target.sink.write(
        pieces: { () throws(FrostglassError) -> [UInt8]? in
          written += 1
          if written == 0 { return videoHeader }
          guard written <= frames else { return nil }
          guard let frame = try queue.take() else {
            throw .frames(.incomplete(frames: frames, given: written - 1))
          }
          return SceneVideo.frameLine + frame.image.bytes
        }, finish: { try queue.commit() })
    } catch let error as FrostglassError {
      throw error
    } catch let error as EncodeError {
      throw .encode(error)
    } catch {
      throw .encode(.unwritable(path: "the video", reason: "\(error)"))
    }
  }

  /// One file, whose rows are asked for as they are encoded, and which has no place where it was stopped.
  private func writeRows(_ queue: FrameQueue) throws(FrostglassError) {
    guard let first = try queue.take() else { return }
    let rows = FrameRows(first.image, from: queue, frames: frames)
    let metadata = form == .animation ? StillMetadata(animation: animation) : nil
    do {
      try encoder.encode(rows.all, metadata: metadata, as: format, to: target.sink)
    } catch let error as FrostglassError {
      throw error
    } catch let error as EncodeError {
      throw .encode(error)
    } catch {
      throw .encode(.cannotEncode(format: format, reason: "\(error)"))
    }
  }
}

/// The rows of vertically stacked frames, as a saver asks for them. A frame is released after its last row.
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

  /// The rows of all frames.
  var all: StillRows {
    StillRows(
      size: Size(width: size.width, height: size.height * frames), format: format,
      next: { [self] target in try next(into: target) }, finish: { [queue] in try queue.commit() })
  }

  private func next(into target: UnsafeMutableRawPointer) throws(FrostglassError) {
    if row == size.height {
      image = nil
      image = try queue.take()?.image
      row = 0
      taken += 1
    }
    guard let image else { throw .frames(.incomplete(frames: frames, given: taken - 1)) }
    let start = row * image.bytesPerRow
    let count = size.width * format.bytesPerPixel
    image.withUnsafeBytes { bytes in
      UnsafeMutableRawBufferPointer(start: target, count: count)
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<start + count]))
    }
    row += 1
    if row == size.height { self.image = nil }
  }
}

/// An error in writing frames.
public enum FrameSinkError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A percent sign that begins no number.
  case badNumber(path: String, found: String)
  /// The name has more than one place for a number.
  case severalNumbers(path: String)
  /// The number is in the name of a folder.
  case numberInFolder(path: String)
  /// Several frames for a file that holds one.
  case holdsOneFrame(path: String, format: StillFormat, frames: Int)
  /// A rate that the format cannot have, in frames per second.
  case badFrameRate(Double, format: StillFormat, accepted: ClosedRange<Double>)
  /// A rate that no video has, in frames per second.
  case badVideoRate(Double)
  /// The frames ended before all were there.
  case incomplete(frames: Int, given: Int)
  /// There is one more frame than were announced.
  case tooMany(frames: Int)
  /// A frame that is not like the first, in size or pixels.
  case otherKind(expected: String, found: String)
  /// There is no thread to write them.
  case noThread
  /// The name of a video has a place for a number.
  case numberedVideo(path: String)

  /// A user-facing description of the error.
  public var description: String {
    switch self {
    case .badNumber(let path, let found):
      "\(path): \(found) stands for no number; give %d or, with as many digits as there are to be, "
        + "%04d, and %% for a percent sign"
    case .severalNumbers(let path):
      "\(path): there is more than one place for the number; give %d or %04d once"
    case .numberInFolder(let path):
      "\(path): the number is in the folder's name; give it in the file's, as in frames/%04d.png"
    case .holdsOneFrame(let path, let format, let frames):
      "\(path): \(format.name) holds one image, and these are \(frames); give a "
        + "name with a number such as %04d.\(format.fileExtension), or one that ends with .webp, "
        + ".apng or .gif"
    case .badFrameRate(let rate, let format, let accepted):
      "\(rate) frames per second do not go into \(format.name); accepted is "
        + "\(accepted.lowerBound) to \(accepted.upperBound): browsers slow down what is faster"
    case .badVideoRate(let rate):
      "there is no video of \(rate) frames per second; accepted is 0.001 to 999999"
    case .incomplete(let frames, let given):
      "\(given) of \(frames) frames were made; nothing is written of an animation that ends early"
    case .tooMany(let frames):
      "\(frames) frames were announced, and there is another; announce all of them"
    case .otherKind(let expected, let found):
      "a frame is \(found), and the first was \(expected); all are of one size and kind of pixels"
    case .numberedVideo(let path):
      "\(path): a video is one file; leave the number out of its name"
    case .noThread:
      "no thread could be started to write the frames; allow more, or end other programs"
    }
  }
}
