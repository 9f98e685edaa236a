package import FrostglassBackends
internal import FrostglassCore
package import FrostglassGL

/// Measures a GPU on one frame: beside what goes through memory, what stays on the device.
package struct DeviceBench: Sendable {
  /// Equal pieces of work in a row: the device is not to wait for the next.
  private static let most = 10_000
  /// As many as are brought, worked on and fetched at a time.
  private static let streams = 3

  private let backend: GLBackend
  private let frame: Image
  private let picture: GLPicture
  /// How long equal pieces of work are to take together at least.
  private let window: Duration
  /// A color matrix alone: what is not changed would not go to the device at all.
  private let passage: Plan

  /// - Parameter window: what is measured at a time, at least; clocks of a GPU that has just had
  ///   nothing to do take a tenth of a second to settle.
  /// - Throws: `BenchError.execute` where the frame does not fit on the device.
  package init(
    _ frame: Image, on backend: GLBackend, window: Duration = .milliseconds(20)
  ) async throws(BenchError) {
    self.window = window
    self.backend = backend
    self.frame = frame
    let color: FilterChain = [.saturation(1.8)]
    passage = try mapped(BenchError.plan, color.plan(for: Plan.Input(frame)))
    picture = try await mapped(BenchError.execute, async: await backend.upload(frame))
  }

  /// Measures once, after a run that does not count.
  package func round(_ plan: Plan) async throws(BenchError) -> DeviceRound {
    let (blur, copy) = try await times(plan)
    do throws(BackendError) {
      return DeviceRound(
        blur: blur, copy: copy, streamed: try await streamed(plan),
        transfer: try await streamed(passage))
    } catch { throw .execute(error) }
  }

  /// Measures a plan and a copy of the frame on the device, each after a run that does not count.
  package func times(_ plan: Plan) async throws(BenchError) -> (plan: GLTime, copy: GLTime) {
    do throws(BackendError) {
      let blurs = runs(try await backend.time(of: plan, on: picture, runs: 1))
      let copies = runs(try await backend.timeOfCopy(of: picture, runs: 1))
      return (
        try await backend.time(of: plan, on: picture, runs: blurs),
        try await backend.timeOfCopy(of: picture, runs: copies)
      )
    } catch { throw .execute(error) }
  }

  /// Runs a plan, once at least, until the device has had work for so long.
  package func warmUp(_ plan: Plan, for time: Duration) async throws(BenchError) {
    let start = ContinuousClock.now
    do throws(BackendError) {
      repeat {
        _ = try await backend.time(of: plan, on: picture, runs: 1)
      } while start.duration(to: .now) < time
    } catch { throw .execute(error) }
  }

  /// Measures what is below all blurs.
  package func floor() async throws(BenchError) -> DeviceFloor {
    do throws(BackendError) {
      let pixel = Image(zeros: Size(width: 1, height: 1), format: frame.format, alpha: frame.alpha)
      let small = try await backend.upload(pixel)
      let plan: Plan
      do throws(PlanError) { plan = try FilterChain([]).plan(for: Plan.Input(pixel)) } catch {
        throw .failed(backend: backend.name, what: "\(error)")
      }
      func measured(
        _ time: (Int) async throws(BackendError) -> GLTime
      ) async throws(BackendError) -> GLTime {
        try await time(runs(try await time(3)))
      }
      return DeviceFloor(
        submission: try await measured { runs throws(BackendError) in
          try await backend.time(of: plan, on: small, runs: runs)
        },
        copy: try await measured { runs throws(BackendError) in
          try await backend.timeOfCopy(of: picture, runs: runs)
        },
        drawnCopy: try await measured { runs throws(BackendError) in
          try await backend.timeOfDrawnCopy(of: picture, runs: runs)
        })
    } catch { throw .execute(error) }
  }

  /// Measures a plan draw by draw, each with what it is expected to move.
  package func draws(_ plan: Plan, runs: Int) async throws(BenchError) -> [DeviceDraw] {
    do throws(BackendError) {
      let reports = try await backend.draws(of: plan)
      let times = try await backend.timesOfDraws(of: plan, on: picture, runs: runs)
      // Where a slot had to be made whole first, there are more draws than the plan has.
      let areAlike = reports.count == times.count
      return times.enumerated().map { index, time in
        DeviceDraw(time: time, movedBytes: areAlike ? reports[index].movedBytes : nil)
      }
    } catch { throw .execute(error) }
  }

  /// Runs that take long enough together.
  private func runs(_ time: GLTime) -> Int {
    Int(min(max((window / time.wall).rounded(.up), 1), Double(DeviceBench.most)))
  }

  /// The time per frame where several are on their way at once.
  private func streamed(_ plan: Plan) async throws(BackendError) -> Duration {
    let frame = try await streamed(plan, frames: 4)
    let frames = Int(min((window / frame).rounded(.up), Double(DeviceBench.most)))
    return frames <= 4 ? frame : try await streamed(plan, frames: frames)
  }

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

/// What no blur can take less than.
package struct DeviceFloor: Sendable, Hashable {
  /// A plan that reads and writes a single pixel: asking for it is all there is to it.
  package var submission: GLTime
  /// A copy of the frame by the function that copies.
  package var copy: GLTime
  /// The same by a pass.
  package var drawnCopy: GLTime
}

/// One draw of a plan.
package struct DeviceDraw: Sendable, Hashable {
  package var time: DrawTime
  /// What it is expected to read and write; `nil` where that is not known.
  package var movedBytes: Int?
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

  package static func median(_ times: [GLTime]) -> GLTime {
    let device = times.compactMap(\.device)
    return GLTime(
      wall: BenchRow.median(times.map(\.wall)),
      device: device.isEmpty ? nil : BenchRow.median(device))
  }
}
