package import FrostglassBackends
internal import FrostglassCore
package import FrostglassGL

/// Measures a GPU on one frame: beside what goes through memory, what stays on the device.
package struct DeviceBench: Sendable {
  /// Equal pieces of work in a row: the device is not to wait for the next.
  private static let most = 50
  private static let enough = Duration.milliseconds(20)
  /// As many as are brought, worked on and fetched at a time.
  private static let streams = 3

  private let backend: GLBackend
  private let frame: Image
  private let picture: GLPicture
  /// Load and store alone.
  private let passage: Plan

  /// - Throws: `BenchError.execute` where the frame does not fit on the device.
  package init(_ frame: Image, on backend: GLBackend) async throws(BenchError) {
    self.backend = backend
    self.frame = frame
    passage = try mapped(BenchError.plan, FilterChain([]).plan(for: Plan.Input(frame)))
    picture = try await mapped(BenchError.execute, async: await backend.upload(frame))
  }

  /// Measures once, after a run that does not count.
  package func round(_ plan: Plan) async throws(BenchError) -> DeviceRound {
    do throws(BackendError) {
      let blurs = runs(try await backend.time(of: plan, on: picture, runs: 1))
      let copies = runs(try await backend.timeOfCopy(of: picture, runs: 1))
      return DeviceRound(
        blur: try await backend.time(of: plan, on: picture, runs: blurs),
        copy: try await backend.timeOfCopy(of: picture, runs: copies),
        streamed: try await streamed(plan, frames: min(max(blurs, 4), 24)),
        transfer: try await streamed(passage, frames: min(max(blurs, 4), 24)))
    } catch { throw .execute(error) }
  }

  /// Runs that take long enough together.
  private func runs(_ time: GLTime) -> Int {
    Int(min(max(DeviceBench.enough / time.wall, 1), Double(DeviceBench.most)))
  }

  /// The time per frame where several are on their way at once.
  private func streamed(_ plan: Plan, frames: Int) async throws(BackendError) -> Duration {
    let start = ContinuousClock.now
    let failure = await withTaskGroup(of: BackendError?.self) { group in
      for stream in 0..<DeviceBench.streams {
        let own = (frames + DeviceBench.streams - 1 - stream) / DeviceBench.streams
        group.addTask { await run(plan, times: own) }
      }
      return await group.reduce(nil) { $0 ?? $1 }
    }
    if let failure { throw failure }
    return start.duration(to: .now) / frames
  }

  private func run(_ plan: Plan, times: Int) async -> BackendError? {
    var result = Image(
      zeros: plan.result.rect.size, format: plan.result.format, alpha: plan.result.alpha)
    do throws(BackendError) {
      for _ in 0..<times { try await backend.execute(plan, [frame], into: &result) }
      return nil
    } catch { return error }
  }
}

/// What a GPU took for one blur, with the frame on the device and with frames that stream.
package struct DeviceRound: Sendable, Hashable {
  /// A blur of a frame that is on the device, the result left there, one after another.
  package var blur: GLTime
  /// A copy of the frame on the device.
  package var copy: GLTime
  /// A frame among others that come from memory, are blurred and go back.
  package var streamed: Duration
  /// The same without a blur.
  package var transfer: Duration
}

/// Medians of what a GPU took.
package struct DeviceRow: Sendable, Hashable {
  package var blur: GLTime
  package var copy: GLTime
  package var streamed: Duration
  package var transfer: Duration
  /// Bytes of a frame and of its result, on their way to the device and back.
  package var movedBytes: Int

  /// - Parameter rounds: at least one.
  package init(_ rounds: [DeviceRound], movedBytes: Int) {
    blur = DeviceRow.median(rounds.map(\.blur))
    copy = DeviceRow.median(rounds.map(\.copy))
    streamed = BenchRow.median(rounds.map(\.streamed))
    transfer = BenchRow.median(rounds.map(\.transfer))
    self.movedBytes = movedBytes
  }

  /// How many copies on the device the blur is worth there.
  package var ratio: Double { blur.wall / copy.wall }

  private static func median(_ times: [GLTime]) -> GLTime {
    let device = times.compactMap(\.device)
    return GLTime(
      wall: BenchRow.median(times.map(\.wall)),
      device: device.isEmpty ? nil : BenchRow.median(device))
  }
}
