extension Pipeline {
  func allFrames(
    _ reader: StillReader, _ decoding: DecodeOptions
  ) throws(FrostglassError) -> StillReader {
    do throws(DecodeError) { return try StillDecoder(decoding).allFrames(of: reader) } catch {
      throw .decode(error)
    }
  }

  /// Runs a plan on each frame, on a backend that takes whole pictures; all results are kept.
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
    for index in 0..<frames {
      let frame: Image
      do throws(DecodeError) { frame = try reader.frame(index) } catch { throw .decode(error) }
      let execution = try await execute(plan, frame, on: selection)
      report.add(execution)
      bytes += execution.image.bytes
      frameDone(index + 1, frames)
    }
    do throws(ImageError) {
      return try Image(
        size: Size(width: size.width, height: size.height * frames), format: plan.result.format,
        alpha: plan.result.alpha, bytes: bytes)
    } catch { throw .plan(.malformed("\(error)")) }
  }
}
