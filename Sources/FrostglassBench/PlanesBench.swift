internal import FrostglassBackends
internal import FrostglassCPU
package import FrostglassCore

/// Measures what a frame in planes costs on the fast backend, with what is kept from frame to frame
/// ready: plane by plane, where the filters allow that, beside the same by way of colors.
package struct PlanesBench {
  /// The processor time of one frame, in the median of the rounds.
  package struct Row: Sendable {
    /// As `FilterChain.plan(for:size:)` plans it.
    package var planes: Duration
    /// By way of red, green and blue.
    package var colors: Duration
    /// A copy of the planes.
    package var copy: Duration
    /// The number of rounds.
    package var runs: Int
  }

  /// The measured format.
  package let format: YCbCrFormat
  /// Width and height in pixels.
  package let size: Size
  /// The number of the backend's threads.
  package let threads: Int
  private let backend: FastBackend
  private let picture: YCbCrImage

  /// Makes a frame.
  ///
  /// - Parameter threads: `nil` means one per core.
  /// - Throws: `YCbCrError` for a size that no frame has.
  package init(_ format: YCbCrFormat, _ size: Size, threads: Int?) throws {
    self.format = format
    self.size = size
    backend = FastBackend(threads: threads)
    self.threads = backend.threads
    let planes = format.planes(of: size).map { plane in
      var image = Image.textured(plane.size, plane.format, alpha: .opaque)
      // Textures fill their words.
      if format.bits == .ten || format.bits == .twelve {
        image.shiftWords(by: 16 - format.bits.rawValue)
      }
      return image
    }
    picture = try YCbCrImage(size: size, format: format, planes: planes)
  }

  /// Measures a chain both ways, in turn within each round.
  package func measure(
    _ chain: FilterChain, _ options: PlanOptions, _ length: BenchLength
  ) throws -> Row {
    let plans = [
      try chain.plan(for: format, size: size, options: options),
      try chain.planByColors(for: format, size: size, options: options),
    ]
    let frames = Frames(picture)
    let ready = try plans.map { try backend.preparePlanes($0) }
    for prepared in ready { try frames.run(prepared) }
    var times: [[Duration]] = [[], [], []]
    let start = ContinuousClock.now
    repeat {
      for (index, prepared) in ready.enumerated() {
        times[index].append(try frames.time(prepared))
      }
      times[2].append(frames.copy())
    } while !length.isEnough(times[0].count, after: start.duration(to: .now))
    return Row(
      planes: BenchRow.median(times[0]), colors: BenchRow.median(times[1]),
      copy: BenchRow.median(times[2]), runs: times[0].count)
  }
}

/// A frame in memory, and memory for another.
private final class Frames {
  private let sources: [PixelMemory]
  private let results: [MutablePixelMemory]

  init(_ picture: YCbCrImage) {
    var results: [MutablePixelMemory] = []
    sources = picture.planes.map { plane in
      let count = plane.bytes.count
      let source = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 64)
      source.copyBytes(from: plane.bytes)
      let result = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 64)
      result.copyBytes(from: plane.bytes)
      results.append(MutablePixelMemory(bytes: result, bytesPerRow: plane.bytesPerRow))
      return PixelMemory(
        Plan.Input(plane), bytes: UnsafeRawBufferPointer(source), bytesPerRow: plane.bytesPerRow)
    }
    self.results = results
  }

  deinit {
    for source in sources { source.bytes.deallocate() }
    for result in results { result.bytes.deallocate() }
  }

  func run(_ prepared: PreparedPlanes) throws {
    _ = try prepared.runNow(sources, into: results)
  }

  func time(_ prepared: PreparedPlanes) throws -> Duration {
    let start = ProcessorTime.used
    try run(prepared)
    return ProcessorTime.used - start
  }

  func copy() -> Duration {
    let start = ProcessorTime.used
    for (source, result) in zip(sources, results) { result.bytes.copyMemory(from: source.bytes) }
    return ProcessorTime.used - start
  }
}

extension Image {
  fileprivate mutating func shiftWords(by places: Int) {
    withUnsafeMutableBytes { bytes in
      for word in bytes.bindMemory(to: UInt16.self).indices {
        bytes.bindMemory(to: UInt16.self)[word] >>= UInt16(places)
      }
    }
  }
}
