internal import FrostglassCore

/// One of a job's outputs: rows that a run makes wait here for the encoder, which gives the file its
/// place once those of all outputs are whole.
final class OutputLine: @unchecked Sendable {
  let output: Job.Output
  let format: StillFormat
  /// What happens to a frame for this output alone.
  let plan: Plan
  /// Frames that will be written: more than 1 for an animation.
  let frames: Int
  let queue: RowQueue

  /// - Throws: `FrostglassError` for what can be refused before any pixel is decoded.
  init(_ output: Job.Output, of header: StillHeader, frames inFile: Int) throws(FrostglassError) {
    self.output = output
    do throws(EncodeError) {
      format = try output.sink.format(output.format, input: header.format)
    } catch { throw .encode(error) }
    frames = format.canAnimate ? inFile : 1
    plan = try output.recipe.plan(for: Plan.Input(header), as: format)
    do throws(EncodeError) {
      try format.checkSize(plan.result.rect.size, frames: frames)
    } catch { throw .encode(error) }
    queue = RowQueue(
      bytesPerRow: plan.result.rect.width * plan.result.format.bytesPerPixel,
      rowsPerFrame: plan.result.rect.height)
  }

  /// About how many bytes the rows that wait and the encoder take.
  var memory: Int {
    let result = plan.result
    return RowQueue.capacity * result.rect.width * result.format.bytesPerPixel
      + StillEncoder(output.encoding).memory(
        result.rect.size, frames: frames, result.format, as: format, byRows: true)
  }

  /// Writes the file from the rows that come.
  func encode(
    _ metadata: StillMetadata?, _ cancellation: Cancellation, together others: AllOrNone
  ) throws(FrostglassError) {
    var metadata = metadata
    // Of a still there is only one frame to tell times of.
    if frames == 1 { metadata?.animation = nil }
    let size = plan.result.rect.size
    let rows = StillRows(
      size: Size(width: size.width, height: size.height * frames), format: plan.result.format
    ) { [queue] in
      try queue.read(into: $0)
    } finish: {
      try cancellation.check()
      try others.arrive()
    }
    do {
      try StillEncoder(output.encoding).encode(
        rows, metadata: metadata, as: format, to: output.sink)
    } catch let error as EncodeError {
      throw .encode(error)
    } catch let error as BackendError {
      throw FrostglassError(error)
    } catch {
      throw .encode(.cannotEncode(format: format, reason: "\(error)"))
    }
  }
}

/// Lets several go on once all of them have come so far, or none.
final class AllOrNone: Sendable {
  private let state: Monitor<State>

  private struct State {
    /// How many have still to come.
    var missing: Int
    var isStopped = false
    /// How long those who came have waited, together.
    var waited: Duration = .zero
  }

  init(_ count: Int) { state = Monitor(State(missing: count)) }

  /// How long those who came have waited, together.
  var waited: Duration { state.withLock { $0.waited } }

  /// Nobody goes on who has not yet.
  func stop() { state.change { $0.isStopped = true } }

  /// Waits for the others.
  ///
  /// - Throws: `BackendError.cancelled` once it was stopped.
  func arrive() throws(BackendError) {
    let start = ContinuousClock.now
    state.change { $0.missing -= 1 }
    let goesOn = state.wait(until: { $0.missing == 0 || $0.isStopped }) { state in
      state.waited += start.duration(to: .now)
      return state.missing == 0
    }
    guard goesOn else { throw .cancelled }
  }
}
