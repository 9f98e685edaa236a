internal import FrostglassCPU

/// A job's rows on their way from the decoder through the blur to the encoder; of an animation, those
/// of one frame after another.
final class StreamedRows {
  private let plan: Plan
  private let reading: Reading
  private let frames: Int
  private let frameDone: (Int) -> Void
  private let backend: FastBackend
  private var stream: RowStream
  private var frame = 0
  private var rowsOfFrame = 0
  private var computing: Duration = .zero

  /// - Parameters:
  ///   - plan: for one frame.
  ///   - frames: of the reader, all planned alike.
  ///   - frameDone: told how many are done.
  /// - Returns: `nil` when the plan has several inputs.
  init?(
    _ plan: Plan, on backend: FastBackend, from reader: StillReader, frames: Int = 1,
    frameDone: @escaping (Int) -> Void = { _ in }
  ) {
    let reading = Reading(reader)
    guard let stream = backend.stream(plan, read: reading.read(frame: 0)) else { return nil }
    self.plan = plan
    self.backend = backend
    self.stream = stream
    self.reading = reading
    self.frames = frames
    self.frameDone = frameDone
  }

  /// What decoding took.
  var decoding: Duration { reading.duration }
  /// What blurring took.
  var executing: Duration { computing - reading.duration }

  /// Lets all rows come, and writes the file.
  ///
  /// - Throws: `FrostglassError.decode` or `.encode`; then nothing was written.
  func encode(
    _ metadata: StillMetadata, as format: StillFormat, for job: Job
  ) throws(FrostglassError) {
    let size = plan.result.rect.size
    let rows = StillRows(
      size: Size(width: size.width, height: size.height * frames), format: plan.result.format
    ) { [self] target in
      computing += try ContinuousClock().measure { try next(into: target) }
    }
    do {
      try StillEncoder(job.encoding).encode(rows, metadata: metadata, as: format, to: job.sink)
    } catch let error as DecodeError {
      throw .decode(error)
    } catch let error as EncodeError {
      throw .encode(error)
    } catch {
      throw .encode(.cannotEncode(format: format, reason: "\(error)"))
    }
  }

  private func next(into target: UnsafeMutableRawPointer) throws {
    if rowsOfFrame == plan.result.rect.height { startNextFrame() }
    try stream.next(1, into: target)
    rowsOfFrame += 1
    if rowsOfFrame == plan.result.rect.height { frameDone(frame + 1) }
  }

  private func startNextFrame() {
    frame += 1
    rowsOfFrame = 0
    // The plan made the first stream, so it makes all.
    if let next = backend.stream(plan, read: reading.read(frame: frame)) { stream = next }
  }

  /// Reads and takes the time.
  private final class Reading {
    private let reader: StillReader
    private(set) var duration: Duration = .zero
    private var rowsRead = 0

    init(_ reader: StillReader) { self.reader = reader }

    /// What reads rows of a frame.
    func read(frame: Int) -> RowStream.Reading {
      let first = frame * reader.header.size.height
      return { [self] rows, target in
        duration += try ContinuousClock().measure {
          try skip(to: first + rows.lowerBound)
          try reader.read(first + rows.lowerBound..<first + rows.upperBound, into: target)
          rowsRead = first + rows.upperBound
        }
      }
    }

    /// Reads what no plan has asked for: a picture's last rows, if nothing looks at them.
    private func skip(to row: Int) throws {
      guard rowsRead < row else { return }
      let count = reader.header.size.width * reader.header.pixelFormat.bytesPerPixel
      let unused = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 16)
      defer { unused.deallocate() }
      for y in rowsRead..<row { try reader.read(y..<y + 1, into: unused) }
    }
  }
}
