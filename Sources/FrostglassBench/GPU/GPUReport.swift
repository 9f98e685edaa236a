internal import FrostglassBackends
internal import FrostglassCPU
internal import FrostglassCore
internal import FrostglassGL
internal import Glibc

/// Checks and measures each stage of the GPU, and prints what it finds as Markdown.
package struct GPUReport {
  /// Runs the program `frostglass-gpu-bench`.
  ///
  /// - Parameter words: its arguments, without its name.
  /// - Returns: the exit code: 0, 64 for a wrong argument, 65 where an image is not as it should be, 66 for a frame
  ///   that cannot be read, 69 without a device, 73 for a file that cannot be written.
  package static func main(_ words: ArraySlice<String>) async -> Int32 {
    guard let arguments = GPUBenchArguments(words) else {
      GPUText.complain(GPUBenchArguments.usage)
      return 64
    }
    defer { GLThreads.end() }
    do { return try await GPUReport(arguments).run() } catch {
      GPUText.complain("frostglass-gpu-bench: \(error)")
      return 66
    }
  }

  private let arguments: GPUBenchArguments
  private let frame: Image

  private init(_ arguments: GPUBenchArguments) throws(RawFile.Failure) {
    self.arguments = arguments
    guard let path = arguments.frame else {
      frame = .textured(arguments.size, .rgba8)
      return
    }
    var image = Image(zeros: arguments.size, format: .rgba8, alpha: .premultiplied)
    image.bytes = try RawFile.read(path, count: image.bytes.count)
    frame = image
  }

  private func run() async -> Int32 {
    do {
      if arguments.json {
        let stage = try await stage()
        try await measure(stage)
        return await writeLast(stage) ? 0 : 73
      }
      let backend = try await GLBackend.start()
      say("# \(backend.device.capabilities.renderer)\n")
      say("\(backend.device.capabilities.version), \(backend.device.platform), \(date)\n")
      if arguments.checks {
        return await check() ? 0 : 65
      }
      say("Clocks at the beginning: \(Clocks.now).\n")
      say("The stage of choice: \(backend.stage).\n")
      if arguments.filters {
        await reportFilters(stages)
        return 0
      }
      let isRight = await report()
      say("\nClocks at the end: \(Clocks.now).")
      return isRight ? 0 : 65
    } catch {
      GPUText.complain("frostglass-gpu-bench: \(error)")
      return 69
    }
  }

  /// The filters whose price is promised on the CPU, as they are there.
  private static let filters = [
    "box(radius=4, iterations=3)", "triple-box(10px)", "kawase(10px)", "progressive-blur(20px)",
    "tilt-shift(20px)", "selective-blur(20px)", "motion(60px, 30deg)", "lens(12px)", "lens(60px)",
    "zoom()", "spin()", "pixelate(16px)", "grain()", "dither()", "median(3)", "median(15)",
    "bilateral(5px)", "bilateral-separable(5px)", "light()", "material-light()", "glass()",
  ]

  private static let stages = GLOptions.Stage.allCases.filter { $0 != .automatic }
  /// Those that are asked for.
  private var stages: [GLOptions.Stage] { arguments.stage.map { [$0] } ?? GPUReport.stages }
  /// Clocks of GPUs rise within a few tenths of a second of work.
  private static let warmUp = Duration.milliseconds(500)
  private static let window = Duration.milliseconds(100)

  /// The stage that is asked for, or the fastest.
  private func stage() async throws -> GLOptions.Stage {
    if let stage = arguments.stage { return stage }
    var fastest: (stage: GLOptions.Stage, time: Duration)?
    for stage in GPUReport.stages {
      let backend = try await GLBackend.start(arguments.options(stage))
      let bench = try await DeviceBench(frame, on: backend, window: GPUReport.window)
      let time = try await row(arguments.sigmas[0], bench, rounds: 3).blur.wall
      if fastest.map({ time < $0.time }) ?? true { fastest = (stage, time) }
    }
    return fastest?.stage ?? .fragment
  }

  /// Writes the report. A failure becomes a line of the report and does not end it.
  ///
  /// - Returns: true if all images were right.
  private func report() async -> Bool {
    let isRight = await check()
    say("\n## Gaussians, \(arguments.size), RGBA of 8 bits, medians of \(arguments.rounds)\n")
    say(GPUText.heading)
    var benches: [(stage: GLOptions.Stage, bench: DeviceBench)] = []
    for stage in stages {
      do { benches.append((stage, try await measure(stage))) } catch {
        say("\(stage): \(error)")
      }
    }
    say("\n## Below all blurs\n")
    say(GPUText.floorHeading)
    for (stage, bench) in benches {
      do { say(GPUText.line(try await bench.floor(), stage)) } catch {
        say("\(stage): \(error)")
      }
    }
    await reportFilters(benches.map(\.stage))
    for (stage, bench) in benches { await reportDraws(stage, bench) }
    return isRight
  }

  /// - Returns: true if all images were as they should be.
  private func check() async -> Bool {
    var isRight = true
    say("## Correctness\n")
    say(GPUCheck.heading)
    for stage in stages {
      do {
        let check = try await GPUCheck(arguments.options(stage, programs: .specialized))
        isRight = isRight && check.isRight
        say(check.row)
      } catch {
        isRight = false
        say("| \(stage) | – | – | – | \(error) |")
      }
    }
    return isRight
  }

  /// Reports the time of each draw, and the bytes that it moves by the plan's own numbers.
  private func reportDraws(_ stage: GLOptions.Stage, _ bench: DeviceBench) async {
    say("\n## Draw by draw, \(stage)\n")
    say(GPUText.drawHeading)
    for sigma in arguments.sigmas {
      do { try await reportDraws("σ \(sigma)", try plan(sigma), bench) } catch {
        say("σ \(sigma): \(error)")
      }
    }
  }

  private func reportDraws(
    _ name: String, _ plan: Plan, _ bench: DeviceBench
  ) async throws {
    for draw in try await bench.draws(plan, runs: arguments.rounds) {
      say(GPUText.line(draw, of: name))
    }
  }

  /// Reports the times of filters other than the Gaussian with the frame on the device, and draw by draw for the chosen
  /// ones.
  private func reportFilters(_ stages: [GLOptions.Stage]) async {
    say("\n## Other filters, \(arguments.size), RGBA of 8 bits, medians of \(arguments.rounds)\n")
    say(GPUText.filterHeading)
    for stage in stages {
      do {
        let backend = try await GLBackend.start(arguments.options(stage))
        let bench = try await DeviceBench(frame, on: backend, window: GPUReport.window)
        let chosen = arguments.chosenFilters
        for text in chosen.isEmpty ? GPUReport.filters : chosen {
          await reportFilter(text, stage, bench)
        }
        guard !chosen.isEmpty else { continue }
        say("\n\(GPUText.drawHeading)")
        for text in chosen { try await reportDraws("`\(text)`", plan(text), bench) }
        if stage != stages.last { say("\n\(GPUText.filterHeading)") }
      } catch { say("| \(stage) | – | \(error) |") }
    }
  }

  private func reportFilter(_ text: String, _ stage: GLOptions.Stage, _ bench: DeviceBench) async {
    do {
      let plan = try plan(text)
      let start = ContinuousClock.now
      try await bench.warmUp(plan, for: .zero)
      let first = start.duration(to: .now)
      // What is made for a plan that runs again is made within three runs.
      for _ in 0..<3 { try await bench.warmUp(plan, for: GPUReport.window / 3) }
      var times: [GLTime] = []
      var copies: [Duration] = []
      for _ in 0..<arguments.rounds {
        let (time, copy) = try await bench.times(plan)
        times.append(time)
        copies.append(copy.wall)
      }
      let row = FilterRow(
        filter: text, first: first, time: DeviceRow.median(times), copy: BenchRow.median(copies))
      say(GPUText.line(row, stage))
    } catch { say("| \(stage) | `\(text)` | \(error) |") }
  }

  /// Writes what the last σ gives, where that is asked for; whether it could.
  private func writeLast(_ stage: GLOptions.Stage) async -> Bool {
    guard let path = arguments.output, let sigma = arguments.sigmas.last else { return true }
    do {
      let chain: FilterChain = [.gaussian(sigma: Sigma(sigma))]
      let image = try await GLBackend.start(arguments.options(stage)).execute(
        chain.plan(for: Plan.Input(frame)), [frame])
      try RawFile.write(image.bytes, to: path)
      return true
    } catch {
      GPUText.complain("frostglass-gpu-bench: \(error)")
      return false
    }
  }

  @discardableResult
  private func measure(_ stage: GLOptions.Stage) async throws -> DeviceBench {
    let backend = try await GLBackend.start(arguments.options(stage))
    let bench = try await DeviceBench(frame, on: backend, window: GPUReport.window)
    for sigma in arguments.sigmas {
      let row = try await row(sigma, bench, rounds: arguments.rounds)
      say(arguments.json ? GPUText.json(row, stage, sigma) : GPUText.line(row, stage, sigma))
    }
    return bench
  }

  private func plan(_ text: String) throws -> Plan {
    try FilterChain(text: text).plan(for: Plan.Input(frame))
  }

  private func plan(_ sigma: Double) throws -> Plan {
    try FilterChain([.gaussian(sigma: Sigma(sigma))]).plan(for: Plan.Input(frame))
  }

  private func row(
    _ sigma: Double, _ bench: DeviceBench, rounds count: Int
  ) async throws -> DeviceRow {
    let plan = try plan(sigma)
    // Compiles, and wakes a device that saves power.
    try await bench.warmUp(plan, for: GPUReport.warmUp)
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

/// A filter's times on the device.
struct FilterRow {
  /// As text.
  var filter: String
  /// Once, with programs that were compiled for it.
  var first: Duration
  var time: GLTime
  /// A copy of the frame.
  var copy: Duration
}

/// Writes what was measured.
enum GPUText {
  /// Prints a line at once, for whoever watches.
  static func say(_ line: String) { put(line, to: STDOUT_FILENO) }

  static func complain(_ line: String) { put(line, to: STDERR_FILENO) }

  private static func put(_ line: String, to file: Int32) {
    _ = Array((line + "\n").utf8).withUnsafeBytes { writeAll($0, to: file) }
  }

  static let heading = """
    | stage | σ | on the device, ms | its clock, ms | copy there, ms | copies | \
    streamed, ms a frame | without a blur, ms | ratio |
    |---|---:|---:|---:|---:|---:|---:|---:|---:|
    """

  static let floorHeading = """
    | stage | asking for one pixel, ms | its clock, ms | copy, ms | its clock, ms | \
    copy by a pass, ms | its clock, ms |
    |---|---:|---:|---:|---:|---:|---:|
    """

  static let filterHeading = """
    | stage | filter | first run, ms | on the device, ms | its clock, ms | copies |
    |---|---|---:|---:|---:|---:|
    """

  static func line(_ row: FilterRow, _ stage: GLOptions.Stage) -> String {
    let cells = [
      "\(stage)", "`\(row.filter)`", milliseconds(row.first), milliseconds(row.time.wall),
      row.time.device.map(milliseconds) ?? "–", (row.time.wall / row.copy).text(places: 2),
    ]
    return "| \(cells.joined(separator: " | ")) |"
  }

  static func line(_ floor: DeviceFloor, _ stage: GLOptions.Stage) -> String {
    let times = [floor.submission, floor.copy, floor.drawnCopy].flatMap {
      [milliseconds($0.wall), $0.device.map(milliseconds) ?? "–"]
    }
    return "| \(stage) | \(times.joined(separator: " | ")) |"
  }

  static let drawHeading = """
    | of | draw | makes | alone, ms | its clock, ms | moves, MB | GB/s |
    |---|---|---:|---:|---:|---:|---:|
    """

  /// - Parameter name: of what the draw is a part.
  static func line(_ draw: DeviceDraw, of name: String) -> String {
    let (time, bytes) = (draw.time.time, draw.movedBytes.map(Double.init))
    let seconds = (time.device ?? time.wall) / .seconds(1)
    let cells = [
      name, draw.time.name, "\(draw.time.size)", milliseconds(time.wall),
      time.device.map(milliseconds) ?? "–", bytes.map { ($0 / 1e6).text(places: 2) } ?? "–",
      bytes.map { ($0 / 1e9 / max(seconds, 1e-9)).text(places: 2) } ?? "–",
    ]
    return "| \(cells.joined(separator: " | ")) |"
  }

  static func line(_ row: DeviceRow, _ stage: GLOptions.Stage, _ sigma: Double) -> String {
    let cells = [
      "\(stage)", "\(sigma)", milliseconds(row.blur.wall),
      row.blur.device.map(milliseconds) ?? "–", milliseconds(row.copy.wall),
      row.ratio.text(places: 2),
      milliseconds(row.streamed), milliseconds(row.transfer),
      (row.streamed / row.transfer).text(places: 2),
    ]
    return "| \(cells.joined(separator: " | ")) |"
  }

  static func json(_ row: DeviceRow, _ stage: GLOptions.Stage, _ sigma: Double) -> String {
    JSONText.object(
      [("stage", JSONText.string(stage.rawValue)), ("sigma", "\(sigma)")] + BenchText.device(row))
  }

  private static func milliseconds(_ duration: Duration) -> String {
    (duration / .milliseconds(1)).text(places: 4)
  }
}
