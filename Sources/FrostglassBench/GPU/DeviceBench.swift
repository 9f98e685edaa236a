package import FrostglassBackends
internal import FrostglassCore
package import FrostglassGL
internal import Glibc

/// Measures a GPU on one frame: beside what goes through memory, what stays on the device.
package struct DeviceBench: Sendable {
  /// Equal pieces of work in a row: the device is not to wait for the next.
  private static let most = 10_000
  /// As many as are brought, worked on and fetched at a time.
  private static let streams = 3

  private let backend: GLBackend
  private let frame: Image
  private let picture: GLImage
  /// The least total time of a series of equal pieces of work.
  private let window: Duration
  /// A color matrix alone: what is not changed would not go to the device at all.
  private let passage: Plan

  /// - Parameter window: the least time of one measurement; clocks of an idle GPU take a tenth of a second to settle.
  /// - Throws: `BackendError` where the frame does not fit on the device.
  package init(
    _ frame: Image, on backend: GLBackend, window: Duration = .milliseconds(20)
  ) async throws {
    self.window = window
    self.backend = backend
    self.frame = frame
    let color: FilterChain = [.saturation(1.8)]
    passage = try color.plan(for: Plan.Input(frame))
    picture = try await backend.upload(frame)
  }

  /// Measures once, after a run that does not count.
  package func round(_ plan: Plan) async throws -> DeviceRound {
    let (blur, copy) = try await times(plan)
    return DeviceRound(
      blur: blur, copy: copy, streamed: try await streamed(plan),
      transfer: try await streamed(passage))
  }

  /// Measures a plan and a copy of the frame on the device, each after a run that does not count.
  package func times(_ plan: Plan) async throws -> (plan: GLTime, copy: GLTime) {
    let blurs = runs(try await backend.time(of: plan, on: picture, runs: 1))
    let copies = runs(try await backend.timeOfCopy(of: picture, runs: 1))
    return (
      try await backend.time(of: plan, on: picture, runs: blurs),
      try await backend.timeOfCopy(of: picture, runs: copies)
    )
  }

  /// Runs a plan, once at least, until the device has had work for so long.
  package func warmUp(_ plan: Plan, for time: Duration) async throws {
    let start = ContinuousClock.now
    repeat {
      _ = try await backend.time(of: plan, on: picture, runs: 1)
    } while start.duration(to: .now) < time
  }

  /// Measures what is below all blurs.
  package func floor() async throws -> DeviceFloor {
    let pixel = Image(zeros: Size(width: 1, height: 1), format: frame.format, alpha: frame.alpha)
    let small = try await backend.upload(pixel)
    let plan = try FilterChain([]).plan(for: Plan.Input(pixel))
    func measured(_ time: (Int) async throws -> GLTime) async throws -> GLTime {
      try await time(runs(try await time(3)))
    }
    return DeviceFloor(
      submission: try await measured { try await backend.time(of: plan, on: small, runs: $0) },
      copy: try await measured { try await backend.timeOfCopy(of: picture, runs: $0) },
      drawnCopy: try await measured { try await backend.timeOfDrawnCopy(of: picture, runs: $0) })
  }

  /// Measures a plan draw by draw, each with what it is expected to move.
  package func draws(_ plan: Plan, runs: Int) async throws -> [DeviceDraw] {
    let reports = try await backend.draws(of: plan)
    let times = try await backend.timesOfDraws(of: plan, on: picture, runs: runs)
    // Where a slot had to be made whole first, there are more draws than the plan has.
    let areAlike = reports.count == times.count
    return times.enumerated().map { index, time in
      DeviceDraw(time: time, movedBytes: areAlike ? reports[index].movedBytes : nil)
    }
  }

  /// Runs that take long enough together.
  private func runs(_ time: GLTime) -> Int {
    Int(min(max((window / time.wall).rounded(.up), 1), Double(DeviceBench.most)))
  }

  /// The time per frame where several are on their way at once.
  private func streamed(_ plan: Plan) async throws -> Duration {
    let frame = try await streamed(plan, frames: 4)
    let frames = Int(min((window / frame).rounded(.up), Double(DeviceBench.most)))
    return frames <= 4 ? frame : try await streamed(plan, frames: frames)
  }

  private func streamed(_ plan: Plan, frames: Int) async throws -> Duration {
    let start = ContinuousClock.now
    try await withThrowingTaskGroup { group in
      for stream in 0..<DeviceBench.streams {
        let own = (frames + DeviceBench.streams - 1 - stream) / DeviceBench.streams
        group.addTask { try await run(plan, times: own) }
      }
      try await group.waitForAll()
    }
    return start.duration(to: .now) / frames
  }

  private func run(_ plan: Plan, times: Int) async throws {
    var result = Image(
      zeros: plan.result.rect.size, format: plan.result.format, alpha: plan.result.alpha)
    for _ in 0..<times { try await backend.execute(plan, [frame], into: &result) }
  }
}

/// A GPU's times for one blur, with the frame on the device and with streamed frames.
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

/// The lower bounds of any blur's time.
package struct DeviceFloor: Sendable, Hashable {
  /// A plan that reads and writes a single pixel: the cost of submission alone.
  package var submission: GLTime
  /// A copy of the frame by the function that copies.
  package var copy: GLTime
  /// The same by a pass.
  package var drawnCopy: GLTime
}

/// One draw of a plan.
package struct DeviceDraw: Sendable, Hashable {
  package var time: DrawTime
  /// The bytes that it is expected to read and write; `nil` if unknown.
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

  /// The blur's time on the device, as a multiple of the copy's.
  package var ratio: Double { blur.wall / copy.wall }

  package static func median(_ times: [GLTime]) -> GLTime {
    let device = times.compactMap(\.device)
    return GLTime(
      wall: BenchRow.median(times.map(\.wall)),
      device: device.isEmpty ? nil : BenchRow.median(device))
  }
}

/// The machine's current clock rates, as far as it reports them: times mean little without.
enum Clocks {
  static var now: String {
    let known = [processor, nvidia, amd, intel].compactMap { $0 }
    return known.isEmpty ? "this machine tells no clocks" : known.joined(separator: "; ")
  }

  private static var processor: String? {
    let speeds = lines(of: "/proc/cpuinfo").filter { $0.hasPrefix("cpu MHz") }.compactMap {
      $0.split(separator: ":").last.flatMap { Double($0.drop { $0 == " " }) }
    }
    guard let least = speeds.min(), let most = speeds.max() else { return nil }
    let words = least == most ? "\(Int(most))" : "\(Int(least)) to \(Int(most))"
    return "\(speeds.count) processors at \(words) MHz"
  }

  /// The current and highest clock rates that `nvidia-smi` reports.
  private static var nvidia: String? {
    let fields = "clocks.sm,clocks.max.sm,clocks.mem,clocks.max.mem,clocks_throttle_reasons.active"
    guard
      let pipe = popen("nvidia-smi --query-gpu=\(fields) --format=csv,noheader 2>/dev/null", "r")
    else { return nil }
    defer { pclose(pipe) }
    let found = lines(of: pipe)
    guard !found.isEmpty else { return nil }
    return "GPU at (now, most; memory now, most; what holds it back) "
      + found.joined(separator: " and ")
  }

  /// The step that the driver is at, marked with a star.
  private static var amd: String? {
    first("pp_dpm_sclk") { $0.first { $0.hasSuffix("*") } }.map { "GPU at step \($0)" }
  }

  private static var intel: String? {
    first("../gt_cur_freq_mhz") { $0.first }.map { "GPU at \($0) MHz" }
  }

  private static func first(_ file: String, _ pick: ([String]) -> String?) -> String? {
    (0..<8).compactMap { pick(lines(of: "/sys/class/drm/card\($0)/device/\(file)")) }.first
  }

  private static func lines(of path: String) -> [String] {
    guard let file = fopen(path, "re") else { return [] }
    defer { fclose(file) }
    return lines(of: file)
  }

  private static func lines(of file: UnsafeMutablePointer<FILE>) -> [String] {
    var lines: [String] = []
    var line = [CChar](repeating: 0, count: 512)
    while fgets(&line, Int32(line.count), file) != nil {
      let bytes = line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }
      lines.append(String(decoding: bytes, as: UTF8.self))
    }
    return lines
  }
}
