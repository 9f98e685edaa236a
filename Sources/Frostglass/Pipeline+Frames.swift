extension Pipeline {
  func allFrames(
    _ reader: StillReader, _ decoding: DecodeOptions
  ) throws(FrostglassError) -> StillReader {
    do throws(DecodeError) { return try StillDecoder(decoding).allFrames(of: reader) } catch {
      throw .decode(error)
    }
  }

  /// Runs a plan on each frame, on a backend that takes whole pictures, some at a time; all results
  /// are kept.
  ///
  /// - Returns: the results, one below the other.
  func wholeFrames(
    _ plan: Plan, _ reader: StillReader, _ frames: Int,
    _ selection: BackendSelector.Selection, _ frameDone: @Sendable (Int, Int) -> Void,
    _ report: inout Report
  ) async throws(FrostglassError) -> Image {
    let size = plan.result.rect.size
    var bytes: [UInt8] = []
    bytes.reserveCapacity(plan.resultBytes * frames)
    var count = 0
    try await WholeFrames(
      plan: plan, reader: reader, frames: frames, selection: selection, pipeline: self
    ).run { execution in
      report.add(execution)
      bytes += execution.image.bytes
      count += 1
      frameDone(count, frames)
    }
    do throws(ImageError) {
      return try Image(
        size: Size(width: size.width, height: size.height * frames), format: plan.result.format,
        alpha: plan.result.alpha, bytes: bytes)
    } catch { throw .plan(.malformed("\(error)")) }
  }
}
