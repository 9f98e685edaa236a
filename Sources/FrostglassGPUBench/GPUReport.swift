internal import FrostglassCore
internal import FrostglassBench
internal import FrostglassBackends
internal import FrostglassCPU
internal import FrostglassGL
internal import Glibc

/// Checks and measures each stage of the GPU, and prints what it finds as Markdown.
struct GPUReport {
  private let arguments: GPUBenchArguments
  private let frame: Image

  init(_ arguments: GPUBenchArguments) throws(RawFile.Failure) {
    self.arguments = arguments
    guard let path = arguments.frame else {
      frame = .textured(arguments.size, .rgba8)
      return
    }
    var image = Image(zeros: arguments.size, format: .rgba8, alpha: .premultiplied)
    image.bytes = try RawFile.read(path, count: image.bytes.count)
    frame = image
  }

  /// - Returns: the exit code: 0, 65 where a picture is not as it should be, 69 without a device.
  func run() async -> Int32 {
    do throws(BackendError) {
      if arguments.json {
        let stage = try await stage()
        try await measure(stage)
        return await writeLast(stage) ? 0 : 73
      }
      let backend = try await GLBackend.start()
      say("# \(backend.device.capabilities.renderer)\n")
      say("\(backend.device.capabilities.version), \(backend.device.platform), \(date)\n")
      return try await report() ? 0 : 65
    } catch {
      GPUText.complain("frostglass-gpu-bench: \(error)")
      return 69
    }
  }

  private static let stages = GLOptions.Stage.allCases.filter { $0 != .automatic }

  /// The stage that is asked for, or the fastest.
  private func stage() async throws(BackendError) -> GLOptions.Stage {
    if let stage = arguments.stage { return stage }
    var fastest: (stage: GLOptions.Stage, time: Duration)?
    for stage in GPUReport.stages {
      let backend = try await GLBackend.start(GLOptions(stage: stage))
      let time: Duration
      do throws(BenchError) {
        let bench = try await DeviceBench(frame, on: backend)
        time = try await row(arguments.sigmas[0], bench, rounds: 3).blur.wall
      } catch { throw error.backendError }
      if fastest.map({ time < $0.time }) ?? true { fastest = (stage, time) }
    }
    return fastest?.stage ?? .fragment
  }

  /// - Returns: whether all pictures were as they should be.
  private func report() async throws(BackendError) -> Bool {
    var isRight = true
    say("## Correctness\n")
    say("| stage | filters | worst, levels of 255 | Gaussians against truth | beyond their bound |")
    say("|---|---:|---:|---:|---|")
    for stage in GPUReport.stages {
      let check = try await GPUCheck(stage)
      isRight = isRight && check.isRight
      say(check.row)
    }
    say("\n## Gaussians, \(arguments.size), RGBA of 8 bits, medians of \(arguments.rounds)\n")
    say(
      "| stage | σ | on the device, ms | its clock, ms | copy there, ms | copies | "
        + "streamed, ms a frame | without a blur, ms | ratio |")
    say("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for stage in GPUReport.stages { try await measure(stage) }
    return isRight
  }

  /// Writes what the last σ gives, where that is asked for; whether it could.
  private func writeLast(_ stage: GLOptions.Stage) async -> Bool {
    guard let path = arguments.output, let sigma = arguments.sigmas.last else { return true }
    do {
      let chain: FilterChain = [.gaussian(sigma: Sigma(sigma))]
      let image = try await GLBackend.start(GLOptions(stage: stage)).execute(
        chain.plan(for: Plan.Input(frame)), [frame])
      try RawFile.write(image.bytes, to: path)
      return true
    } catch {
      GPUText.complain("frostglass-gpu-bench: \(error)")
      return false
    }
  }

  private func measure(_ stage: GLOptions.Stage) async throws(BackendError) {
    let backend = try await GLBackend.start(GLOptions(stage: stage))
    do throws(BenchError) {
      let bench = try await DeviceBench(frame, on: backend)
      for sigma in arguments.sigmas {
        let row = try await row(sigma, bench, rounds: arguments.rounds)
        say(arguments.json ? GPUText.json(row, stage, sigma) : GPUText.line(row, stage, sigma))
      }
    } catch { throw error.backendError }
  }

  private func row(
    _ sigma: Double, _ bench: DeviceBench, rounds count: Int
  ) async throws(BenchError) -> DeviceRow {
    let plan = try mapped(
      BenchError.plan, FilterChain([.gaussian(sigma: Sigma(sigma))]).plan(for: Plan.Input(frame)))
    // Compiles, and wakes a device that saves power.
    _ = try await bench.round(plan)
    var rounds: [DeviceRound] = []
    for _ in 0..<count { rounds.append(try await bench.round(plan)) }
    return DeviceRow(rounds, movedBytes: frame.bytes.count + plan.resultBytes)
  }

  private var date: String {
    var now = time(nil)
    var parts = tm()
    gmtime_r(&now, &parts)
    func two(_ value: Int32) -> String { value < 10 ? "0\(value)" : "\(value)" }
    return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
  }

  private func say(_ line: String) { GPUText.say(line) }
}

extension BenchError {
  fileprivate var backendError: BackendError {
    switch self {
    case .plan(let error): .failed(backend: "gl", what: "\(error)")
    case .execute(let error): error
    }
  }
}

/// Writes what was measured.
enum GPUText {
  /// Prints a line at once, for whoever watches.
  static func say(_ line: String) { put(line, to: STDOUT_FILENO) }

  static func complain(_ line: String) { put(line, to: STDERR_FILENO) }

  private static func put(_ line: String, to file: Int32) {
    var rest = Array((line + "\n").utf8)[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
      guard written > 0 else { return }
      rest = rest.dropFirst(written)
    }
  }

  static func line(_ row: DeviceRow, _ stage: GLOptions.Stage, _ sigma: Double) -> String {
    let cells = [
      "\(stage)", "\(sigma)", milliseconds(row.blur.wall),
      row.blur.device.map(milliseconds) ?? "–", milliseconds(row.copy.wall), fixed(row.ratio, 2),
      milliseconds(row.streamed), milliseconds(row.transfer), fixed(row.streamed / row.transfer, 2),
    ]
    return "| \(cells.joined(separator: " | ")) |"
  }

  static func json(_ row: DeviceRow, _ stage: GLOptions.Stage, _ sigma: Double) -> String {
    let clock = row.blur.device.map(milliseconds) ?? "null"
    return
      "{\"stage\":\"\(stage.rawValue)\",\"sigma\":\(sigma),\"device_ms\":\(milliseconds(row.blur.wall)),"
      + "\"device_clock_ms\":\(clock),\"device_copy_ms\":\(milliseconds(row.copy.wall)),"
      + "\"streamed_ms\":\(milliseconds(row.streamed)),"
      + "\"transfer_ms\":\(milliseconds(row.transfer)),\"moved_bytes\":\(row.movedBytes)}"
  }

  private static func milliseconds(_ duration: Duration) -> String {
    fixed(duration / .milliseconds(1), 4)
  }

  /// A number with so many decimals.
  static func fixed(_ value: Double, _ places: Int) -> String {
    let scale = (0..<places).reduce(1.0) { power, _ in power * 10 }
    let whole = Int((value * scale).rounded())
    let digits = String(whole)
    let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
    return padded.dropLast(places) + "." + padded.suffix(places)
  }
}
