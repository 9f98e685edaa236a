internal import Frostglass
internal import FrostglassBackends
internal import FrostglassBench
internal import FrostglassGL
internal import FrostglassOptions

/// `frostglass bench`: what a blur costs here, next to a copy of the same frame.
struct BenchCommand: Command {
  static let name = "bench"
  static let summary = "Measure how long blurs take here, next to a copy of the same frame"
  static let operands = ""
  static let notes = """
    Blurs a frame that is in memory already, in turn with a plain copy of the same frame by as many
    threads, and prints the medians of both. No file is decoded or encoded. The first runs, in which
    memory is touched and threads start, do not count.

    The frame is premultiplied unless asked otherwise: what a compositor holds, and what programs
    compute that blur four channels alike. Straight alpha costs a multiplication more per sample on
    the way in and a division on the way out. The reference backend works on one thread.

    GHz and adds are what there was of the processors meanwhile, of the slowest thread: the clock, by
    operations that wait for each other, and vectors added in a cycle by additions that do not, 3 or 4
    on a core that nobody shares. Where either is lower, blurs take longer, by more than copies do.

    --filter measures chains of filters, separated by semicolons, in turn within each round:
    "gaussian(22.5px); thin-light(22.5px)" says what the colors of a material cost.

    On a GPU a second line says what the device took for a frame that stays there, beside a copy of
    it there, and a frame among others that stream from memory and back, beside the same without a
    blur.

    --planes measures frames of video, on as many threads, as a film is filtered: with what is kept
    between frames ready. What is printed is processor time, not time on the clock: of the planes one
    by one, where the filters allow that, of the same by way of colors, and of a copy.

    --json prints backend, width, height, format, sigma (or filter), threads, median_ms, copy_ms,
    runs, alpha, ratio (of blur to copy), megapixels_per_second, clock_ghz and additions_per_cycle;
    on a GPU also device_ms, device_clock_ms, device_copy_ms, device_ratio, streamed_ms, transfer_ms
    and moved_bytes.

    --interactive keeps everything warm and measures one round per request, so that another program
    can measure this one and others in turn. A request is a line with a sigma, or with a sigma and
    the name of a new file for the blurred samples; the answer is a line such as
    {"sigma":20.0,"blur_ms":8.1,"copy_ms":2.6,"clock_ghz":3.4,"additions_per_cycle":3.9}.

    --soak measures nothing: it runs pictures of many sizes and formats with filters of all kinds, one
    after another on one backend, and prints a CSV table of the memory that is taken after them.
    """
  static let options = BenchOptions.table

  private let options: BenchOptions

  init(_ arguments: ParsedArguments) throws(Failure) { options = try BenchOptions(arguments) }

  func run() async throws(Failure) -> Int32 {
    if let jobs = options.soak {
      var setup = options.setup
      (setup.choice, setup.threads) = (options.backends[0], options.threads)
      try await SoakTrace(jobs: jobs, selector: BackendSelector(setup)).run()
      return ExitCode.done
    }
    if options.interactive {
      var dialogue = BenchDialogue(
        bench: try await bench(try frame(options.sizes[0]), options.backends[0]))
      try await dialogue.run()
      return ExitCode.done
    }
    if let formats = options.planes {
      try measurePlanes(formats)
      return ExitCode.done
    }
    for (index, size) in options.sizes.enumerated() {
      let frame = try frame(size)
      if index == 0 && !options.json { Console.print(BenchText.heading) }
      for backend in options.backends {
        var bench = try await bench(frame, backend)
        for subjects in options.groups { try await measure(subjects, &bench) }
      }
    }
    return ExitCode.done
  }

  private func measurePlanes(_ formats: [YCbCrFormat]) throws(Failure) {
    if !options.json { Console.print(BenchText.planesHeading) }
    for size in options.sizes {
      for format in formats {
        do throws(BenchError) {
          let bench = try PlanesBench(format, size, threads: options.threads)
          for subject in options.groups.joined() {
            let row = try bench.measure(subject.chain, options.planning, options.length)
            Console.print(
              options.json
                ? BenchText.json(row, of: bench, subject) : BenchText.line(row, of: bench, subject))
          }
        } catch { throw error.failure }
      }
    }
  }

  private func measure(
    _ subjects: [BenchSubject], _ bench: inout FrameBench
  ) async throws(Failure) {
    let rows = try await ProgressLine.during { line throws(Failure) in
      let what = subjects.map(\.label).joined(separator: ", ")
      line.say("\(bench.backend) \(bench.frame.size) \(what)")
      do throws(BenchError) {
        return try await bench.measure(subjects.map(\.chain), options.length)
      } catch { throw error.failure }
    }
    for (row, subject) in zip(rows, subjects) {
      Console.print(
        options.json
          ? BenchText.json(row, of: bench, subject) : BenchText.line(row, of: bench, subject))
    }
  }

  private func bench(
    _ frame: Image, _ backend: BackendChoice
  ) async throws(Failure) -> FrameBench {
    do throws(BenchError) {
      return try await FrameBench(
        frame, on: backend, threads: options.threads, options: options.planning,
        setup: options.setup)
    } catch { throw error.failure }
  }

  private func frame(_ size: Size) throws(Failure) -> Image {
    guard let path = options.frame else {
      return .textured(size, options.format, alpha: options.alpha)
    }
    let bytes: [UInt8]
    do throws(RawFile.Failure) {
      bytes = try RawFile.read(path, count: size.area * options.format.bytesPerPixel)
    } catch { throw error.failure }
    do throws(ImageError) {
      return try Image(size: size, format: options.format, alpha: options.alpha, bytes: bytes)
    } catch {
      throw Failure("\(path): \(error)", .badData)
    }
  }
}

/// Measures on request: one line in, one round, one line out, with memory and threads kept warm.
///
/// Another program can so measure this one and others in turn, on the same frame.
private struct BenchDialogue {
  /// `SIGMA`, or `SIGMA FILE` to have the blurred samples written to a new file.
  private struct Request {
    var sigma: Double
    var file: String?

    init(_ line: String) throws(Failure) {
      let words = line.split(separator: " ", maxSplits: 1)
      guard let word = words.first, let sigma = Double(word), Sigma.range.contains(sigma) else {
        throw .usage(
          "the request is \"\(line)\"; it must be a sigma from 0 to 1000, and may end with the "
            + "name of a file to make")
      }
      self.sigma = sigma
      file = words.count > 1 ? String(words[1]) : nil
    }
  }

  var bench: FrameBench

  /// Answers until standard input ends.
  ///
  /// - Throws: `Failure`: 64 for a request that cannot be meant.
  mutating func run() async throws(Failure) {
    while let line = readLine() {
      let request = try Request(line)
      let round = try await round(sigma: request.sigma)
      if let file = request.file {
        do throws(RawFile.Failure) { try RawFile.write(bench.result.bytes, to: file) } catch {
          throw error.failure
        }
      }
      Console.print(BenchText.json(round, sigma: request.sigma))
    }
  }

  /// One round, after one that does not count unless it is long: whoever asks is still busy for a
  /// moment, on a core that is wanted here.
  private mutating func round(sigma: Double) async throws(Failure) -> BenchRound {
    do throws(BenchError) {
      let round = try await bench.round(sigma: sigma)
      return round.blur < .milliseconds(100) ? try await bench.round(sigma: sigma) : round
    } catch { throw error.failure }
  }
}

/// `frostglass bench --soak`: many jobs on one backend, and a table of the memory they leave taken.
private struct SoakTrace {
  static let heading = "job,seconds,rss_bytes,gpu_bytes,gpu_peak_bytes,textures,made,reused"

  var jobs: Int
  var selector: BackendSelector

  /// - Throws: `Failure` at the first job that fails.
  func run() async throws(Failure) {
    do throws(BenchError) {
      var soak = try await Soak(on: selector)
      Console.print(SoakTrace.heading)
      // Some 200 lines, the first and the last job among them.
      let every = max(jobs / 200, 1)
      for job in 1...jobs {
        let row = try await soak.next()
        if job % every == 0 || job == 1 || job == jobs { Console.print(line(row)) }
      }
    } catch { throw error.failure }
  }

  private func line(_ row: Soak.Row) -> String {
    let seconds = Double(row.elapsed / .milliseconds(1)) / 1000
    let gpu = row.gpu
    let numbers = [
      row.resident, gpu.heldBytes + gpu.bufferBytes, gpu.peakBytes, gpu.textures, gpu.made,
      gpu.reused,
    ]
    return "\(row.job),\(seconds)," + numbers.map { "\($0)" }.joined(separator: ",")
  }
}

/// Writes what was measured, for people and for programs.
private enum BenchText {
  /// The first line of the table.
  static let heading = line([
    "backend", "size", "format", "sigma", "threads", "blur ms", "copy ms", "ratio", "MP/s", "GHz",
    "adds", "runs",
  ])

  /// A line of the table; the ratio is that of blur to copy.
  static func line(_ row: BenchRow, of bench: FrameBench, _ subject: BenchSubject) -> String {
    let frame = bench.frame
    let alpha = frame.alpha == .opaque ? "" : " \(frame.alpha)"
    let (sigma, end): (String, String) =
      switch subject {
      case .sigma(let sigma): ("\(sigma.rounded(places: 3))", "")
      case .filters(_, let text): ("", "  " + text)
      }
    return line([
      bench.backend, "\(frame.size)", "\(frame.format)\(alpha)", sigma,
      "\(bench.threads)", fixed(row.blur.milliseconds, 2), fixed(row.copy.milliseconds, 2),
      fixed(row.ratio, 2), fixed(megapixels(row, frame), 1), fixed(row.share.clock / 1e9, 2),
      fixed(row.share.additionsPerCycle, 1), "\(row.runs)",
    ]) + end + (row.device.map { "\n" + device($0) } ?? "")
  }

  /// What a GPU took, below its line of the table.
  private static func device(_ row: DeviceRow) -> String {
    let clock = row.blur.device.map { " (its clock: \(fixed($0.milliseconds, 3)))" } ?? ""
    return [
      "  on the device \(fixed(row.blur.wall.milliseconds, 3)) ms\(clock)",
      "copy there \(fixed(row.copy.wall.milliseconds, 3)) ms", "ratio \(fixed(row.ratio, 2))",
      "streamed \(fixed(row.streamed.milliseconds, 2)) ms a frame",
      "without a blur \(fixed(row.transfer.milliseconds, 2)) ms",
      "ratio \(fixed(row.streamed / row.transfer, 2))",
      "\(fixed(Double(row.movedBytes) / 1e6, 1)) MB moved",
    ].joined(separator: ", ")
  }

  /// A row as a JSON object: first what was measured and how, then what follows from it.
  static func json(_ row: BenchRow, of bench: FrameBench, _ subject: BenchSubject) -> String {
    let frame = bench.frame
    let what =
      switch subject {
      case .sigma(let sigma): ("sigma", "\(sigma)")
      case .filters(_, let text): ("filter", JSONText.string(text))
      }
    return JSONText.object(
      [
        ("backend", JSONText.string(bench.backend)),
        ("width", "\(frame.size.width)"), ("height", "\(frame.size.height)"),
        ("format", JSONText.string("\(frame.format)")), what,
        ("threads", "\(bench.threads)"),
        ("median_ms", milliseconds(row.blur)), ("copy_ms", milliseconds(row.copy)),
        ("runs", "\(row.runs)"), ("alpha", JSONText.string("\(frame.alpha)")),
        ("ratio", "\(row.ratio.rounded(places: 3))"),
        ("megapixels_per_second", "\(megapixels(row, frame).rounded(places: 1))"),
      ] + share(row.share) + (row.device.map(device) ?? []))
  }

  private static func device(_ row: DeviceRow) -> [(String, String)] {
    [
      ("device_ms", milliseconds(row.blur.wall)),
      ("device_clock_ms", row.blur.device.map(milliseconds) ?? "null"),
      ("device_copy_ms", milliseconds(row.copy.wall)),
      ("device_ratio", "\(row.ratio.rounded(places: 3))"),
      ("streamed_ms", milliseconds(row.streamed)), ("transfer_ms", milliseconds(row.transfer)),
      ("moved_bytes", "\(row.movedBytes)"),
    ]
  }

  /// The first line of the table of frames in planes.
  static let planesHeading = line([
    "sampling", "size", "bits", "sigma", "threads", "planes ms", "colors ms", "copy ms", "ratio",
    "runs",
  ])

  /// A line of that table; the ratio is that of colors to planes.
  static func line(_ row: PlanesBench.Row, of bench: PlanesBench, _ subject: BenchSubject) -> String
  {
    let (sigma, end): (String, String) =
      switch subject {
      case .sigma(let sigma): ("\(sigma.rounded(places: 3))", "")
      case .filters(_, let text): ("", "  " + text)
      }
    return line([
      bench.format.sampling.rawValue, "\(bench.size)", "\(bench.format.bits.rawValue)", sigma,
      "\(bench.threads)", fixed(row.planes.milliseconds, 2), fixed(row.colors.milliseconds, 2),
      fixed(row.copy.milliseconds, 2), fixed(row.colors / row.planes, 2), "\(row.runs)",
    ]) + end
  }

  /// A row of frames in planes as a JSON object.
  static func json(_ row: PlanesBench.Row, of bench: PlanesBench, _ subject: BenchSubject) -> String
  {
    let what =
      switch subject {
      case .sigma(let sigma): ("sigma", "\(sigma)")
      case .filters(_, let text): ("filter", JSONText.string(text))
      }
    return JSONText.object([
      ("sampling", JSONText.string(bench.format.sampling.rawValue)),
      ("width", "\(bench.size.width)"), ("height", "\(bench.size.height)"),
      ("bits", "\(bench.format.bits.rawValue)"), what, ("threads", "\(bench.threads)"),
      ("planes_cpu_ms", milliseconds(row.planes)), ("colors_cpu_ms", milliseconds(row.colors)),
      ("copy_cpu_ms", milliseconds(row.copy)), ("runs", "\(row.runs)"),
    ])
  }

  /// The answer to a request.
  static func json(_ round: BenchRound, sigma: Double) -> String {
    JSONText.object(
      [
        ("sigma", "\(sigma)"), ("blur_ms", milliseconds(round.blur)),
        ("copy_ms", milliseconds(round.copy)),
      ] + share(round.share))
  }

  private static func share(_ share: ProcessorShare) -> [(String, String)] {
    [
      ("clock_ghz", "\((share.clock / 1e9).rounded(places: 2))"),
      ("additions_per_cycle", "\(share.additionsPerCycle.rounded(places: 2))"),
    ]
  }

  private static func milliseconds(_ duration: Duration) -> String {
    "\(duration.milliseconds.rounded(places: 4))"
  }

  private static func megapixels(_ row: BenchRow, _ frame: Image) -> Double {
    Double(frame.size.area) / (row.blur / .microseconds(1))
  }

  private static func line(_ cells: [String]) -> String {
    let widths = [10, 13, 21, 7, 9, 11, 10, 9, 9, 6, 6, 6]
    return zip(cells, widths).enumerated().map { index, cell in
      let gap = String(repeating: " ", count: max(0, cell.1 - cell.0.count))
      // Words begin below each other, numbers end so.
      return index < 3 ? cell.0 + gap : gap + cell.0
    }.joined()
  }

  /// A number with `places` decimals, zeros too.
  private static func fixed(_ value: Double, _ places: Int) -> String {
    let text = "\(value.rounded(places: places))"
    let decimals = text.split(separator: ".").last?.count ?? 0
    return text + String(repeating: "0", count: max(0, places - decimals))
  }
}

extension Duration {
  fileprivate var milliseconds: Double { self / .milliseconds(1) }
}
