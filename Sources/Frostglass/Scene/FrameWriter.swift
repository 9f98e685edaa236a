/// Takes frames from a queue and writes them, in threads of its own.
struct FrameWriter: Sendable {
  var target: FrameTarget
  var form: FrameForm
  var format: StillFormat
  var frames: Int
  var rate: Double
  var encoder: StillEncoder

  /// How many frames are encoded at once. More are more memory; a single one leaves a core idle
  /// where frames are made faster than they are encoded.
  var threads: Int { form == .numbered ? min(2, frames) : 1 }

  /// - Throws: `FrameSinkError.noThread`.
  func start(_ queue: FrameQueue) throws(FrostglassError) {
    do throws(EncodeError) { try target.makeFolder() } catch {
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
    // One thread does the work of two, only slower.
    if running == 0 {
      queue.fail(.frames(.noThread))
      throw .frames(.noThread)
    }
  }

  private func write(_ queue: FrameQueue) throws(FrostglassError) {
    switch form {
    case .still, .numbered:
      while let frame = queue.take() {
        do throws(EncodeError) {
          try encoder.encode(frame.image, as: format, to: target.sink(for: frame.index))
        } catch { throw .encode(error) }
      }
    case .animation: try writeAnimation(queue)
    }
  }

  private func writeAnimation(_ queue: FrameQueue) throws(FrostglassError) {
    guard let first = queue.take() else { return }
    let rows = FrameRows(first.image, from: queue, frames: frames)
    let delays = FrameTimes.delays(frames: frames, rate: rate, format: format)
    let metadata = StillMetadata(animation: StillAnimation(delays: delays))
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
