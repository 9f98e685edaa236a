package import FrostglassCore
import Synchronization

extension Backend {
  /// Runs a plan on one image that comes row by row, into one whose rows are taken as they come.
  package func executeRows(
    _ plan: Plan, _ image: Image
  ) async throws(BackendError) -> Image {
    let rows = ImageRows(plan.result)
    _ = try await run(plan, PixelIO([.rows(ImageSource(image))], to: [.rows(rows)]))
    guard let result = rows.image else {
      throw .failed(backend: name, what: "some rows of the result are missing")
    }
    return result
  }
}

/// An image that is read row by row, in order.
package final class ImageSource: RowSource {
  private let image: Image
  /// True if its rows cannot be read.
  package let breaks: Bool
  private let state = Mutex((rows: 0, ends: 0))

  package init(_ image: Image, breaks: Bool = false) {
    self.image = image
    self.breaks = breaks
  }

  /// The number of rows that were read.
  package var rows: Int { state.withLock { $0.rows } }

  /// The number of times that it was ended.
  package var ends: Int { state.withLock { $0.ends } }

  package func end() { state.withLock { $0.ends += 1 } }

  package func read(_ rows: Range<Int>, into target: UnsafeMutableRawPointer) throws {
    try state.withLock { state in
      guard !breaks, rows.lowerBound == state.rows, !rows.isEmpty else {
        throw OutOfOrder(rows: rows)
      }
      state.rows = rows.upperBound
    }
    let length = image.size.width * image.format.bytesPerPixel
    image.bytes.withUnsafeBytes { bytes in
      for (place, y) in rows.enumerated() {
        let start = y * image.bytesPerRow
        UnsafeMutableRawBufferPointer(start: target + place * length, count: length)
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<start + length]))
      }
    }
  }
}

/// Puts rows together that come from the top.
package final class ImageRows: RowSink {
  private let result: Plan.Result
  private let state = Mutex((bytes: [UInt8](), rows: 0))

  package init(_ result: Plan.Result) { self.result = result }

  package func write(_ rows: Range<Int>, _ bytes: UnsafeRawBufferPointer) throws {
    try state.withLock { state in
      guard rows.lowerBound == state.rows, !rows.isEmpty else { throw OutOfOrder(rows: rows) }
      state.bytes += bytes
      state.rows = rows.upperBound
    }
  }

  /// The image; `nil` where rows are missing.
  package var image: Image? {
    state.withLock { state in
      guard state.rows == result.rect.height else { return nil }
      return try? Image(
        size: result.rect.size, format: result.format, alpha: result.alpha,
        transfer: result.transfer, bytes: state.bytes)
    }
  }
}

/// Rows that do not follow those before.
package struct OutOfOrder: Error {
  package let rows: Range<Int>
}

/// A backend of a test's own, which takes whole images.
package protocol ImageBackend: Backend {
  func image(
    of plan: Plan, _ inputs: [Image], recovered: (Recovery) -> Void
  ) async throws(BackendError) -> Image
}

extension ImageBackend {
  package func run(_ plan: Plan, _ io: PixelIO) async throws(BackendError) -> RunReport {
    let recoveries = RecoveryLog(io.recovered)
    let threads = ThreadPool()
    var images: [Image] = []
    for input in try await io.gathered(plan.inputs, on: threads).inputs {
      if case .image(let image) = input { images.append(image) }
    }
    let result = try await image(of: plan, images) { recoveries.add($0) }
    try await threads.run { () throws(BackendError) in
      try io.outputs[0].deliver(result, io.cancellation)
    }
    return RunReport(backend: name, recoveries: recoveries.all)
  }
}
