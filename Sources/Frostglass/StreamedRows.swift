internal import FrostglassCPU

/// A job's rows on their way from the decoder through the blur to the encoder.
final class StreamedRows {
  private let stream: RowStream
  private let reading: Reading
  private var computing: Duration = .zero

  /// - Returns: `nil` when the plan has several inputs.
  init?(_ plan: Plan, from reader: StillReader) {
    let reading = Reading(reader)
    guard let stream = RowStream(plan, read: reading.read) else { return nil }
    self.stream = stream
    self.reading = reading
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
    let result = stream.plan.result
    let rows = StillRows(size: result.rect.size, format: result.format) { [self] target in
      computing += try ContinuousClock().measure { try stream.next(1, into: target) }
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

  /// Reads and takes the time.
  private final class Reading {
    private let reader: StillReader
    private(set) var duration: Duration = .zero

    init(_ reader: StillReader) { self.reader = reader }

    func read(_ rows: Range<Int>, into target: UnsafeMutableRawPointer) throws {
      duration += try ContinuousClock().measure { try reader.read(rows, into: target) }
    }
  }
}
