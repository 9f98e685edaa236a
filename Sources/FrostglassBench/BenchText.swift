package import FrostglassCore
internal import FrostglassGL

/// A Gaussian or filters that a row of `frostglass bench` is about.
package enum BenchSubject {
  /// A Gaussian with this standard deviation in pixels.
  case sigma(Double)
  /// Filters, as they were written.
  case filters(FilterChain, text: String)

  package var chain: FilterChain {
    switch self {
    case .sigma(let sigma): [.gaussian(sigma: Sigma(sigma))]
    case .filters(let chain, _): chain
    }
  }

  /// For people: what is not said elsewhere on the line.
  package var label: String {
    switch self {
    case .sigma(let sigma): "sigma \(sigma)"
    case .filters(_, let text): text
    }
  }

  /// The cell of a table below `sigma`.
  fileprivate var sigma: String {
    if case .sigma(let sigma) = self { "\(sigma.rounded(places: 3))" } else { "" }
  }

  /// The end of a table's line.
  fileprivate var end: String {
    if case .filters(_, let text) = self { "  " + text } else { "" }
  }

  /// The member of a JSON object that names it.
  fileprivate var member: (String, String) {
    switch self {
    case .sigma(let sigma): ("sigma", "\(sigma)")
    case .filters(_, let text): ("filter", JSONText.string(text))
    }
  }
}

/// Writes what was measured, for people and for programs.
package enum BenchText {
  /// The first line of the table.
  package static let heading = line([
    "backend", "size", "format", "sigma", "threads", "blur ms", "copy ms", "ratio", "MP/s", "GHz",
    "adds", "runs",
  ])

  /// A line of the table; the ratio is that of blur to copy.
  package static func line(_ row: BenchRow, of bench: FrameBench, _ subject: BenchSubject) -> String
  {
    let frame = bench.frame
    let alpha = frame.alpha == .opaque ? "" : " \(frame.alpha)"
    return line([
      bench.backend, "\(frame.size)", "\(frame.format)\(alpha)", subject.sigma,
      "\(bench.threads)", row.blur.milliseconds.text(places: 2),
      row.copy.milliseconds.text(places: 2), row.ratio.text(places: 2),
      megapixels(row, frame).text(places: 1), (row.share.clock / 1e9).text(places: 2),
      row.share.additionsPerCycle.text(places: 1), "\(row.runs)",
    ]) + subject.end + (row.device.map { "\n" + device($0) } ?? "")
  }

  /// The times of a GPU, below its line of the table.
  private static func device(_ row: DeviceRow) -> String {
    let clock = row.blur.device.map { " (its clock: \($0.milliseconds.text(places: 3)))" } ?? ""
    return [
      "  on the device \(row.blur.wall.milliseconds.text(places: 3)) ms\(clock)",
      "copy there \(row.copy.wall.milliseconds.text(places: 3)) ms",
      "ratio \(row.ratio.text(places: 2))",
      "streamed \(row.streamed.milliseconds.text(places: 2)) ms a frame",
      "without a blur \(row.transfer.milliseconds.text(places: 2)) ms",
      "ratio \((row.streamed / row.transfer).text(places: 2))",
      "\((Double(row.movedBytes) / 1e6).text(places: 1)) MB moved",
    ].joined(separator: ", ")
  }

  /// A row as a JSON object: first what was measured and how, then what follows from it.
  package static func json(_ row: BenchRow, of bench: FrameBench, _ subject: BenchSubject) -> String
  {
    let frame = bench.frame
    return JSONText.object(
      [
        ("backend", JSONText.string(bench.backend)),
        ("width", "\(frame.size.width)"), ("height", "\(frame.size.height)"),
        ("format", JSONText.string("\(frame.format)")), subject.member,
        ("threads", "\(bench.threads)"),
        ("median_ms", milliseconds(row.blur)), ("copy_ms", milliseconds(row.copy)),
        ("runs", "\(row.runs)"), ("alpha", JSONText.string("\(frame.alpha)")),
        ("ratio", "\(row.ratio.rounded(places: 3))"),
        ("megapixels_per_second", "\(megapixels(row, frame).rounded(places: 1))"),
      ] + share(row.share) + (row.device.map(device) ?? []))
  }

  /// The members of a JSON object that say what a GPU took.
  static func device(_ row: DeviceRow) -> [(String, String)] {
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
  package static let planesHeading = line([
    "sampling", "size", "bits", "sigma", "threads", "planes ms", "colors ms", "copy ms", "ratio",
    "runs",
  ])

  /// A line of that table; the ratio is that of colors to planes.
  package static func line(_ row: PlanesBench.Row, of bench: PlanesBench, _ subject: BenchSubject)
    -> String
  {
    line([
      bench.format.sampling.rawValue, "\(bench.size)", "\(bench.format.bits.rawValue)",
      subject.sigma, "\(bench.threads)", row.planes.milliseconds.text(places: 2),
      row.colors.milliseconds.text(places: 2),
      row.copy.milliseconds.text(places: 2), (row.colors / row.planes).text(places: 2),
      "\(row.runs)",
    ]) + subject.end
  }

  /// A row of frames in planes as a JSON object.
  package static func json(_ row: PlanesBench.Row, of bench: PlanesBench, _ subject: BenchSubject)
    -> String
  {
    JSONText.object([
      ("sampling", JSONText.string(bench.format.sampling.rawValue)),
      ("width", "\(bench.size.width)"), ("height", "\(bench.size.height)"),
      ("bits", "\(bench.format.bits.rawValue)"), subject.member, ("threads", "\(bench.threads)"),
      ("planes_cpu_ms", milliseconds(row.planes)), ("colors_cpu_ms", milliseconds(row.colors)),
      ("copy_cpu_ms", milliseconds(row.copy)), ("runs", "\(row.runs)"),
    ])
  }

  /// The answer to a request.
  package static func json(_ round: BenchRound, sigma: Double) -> String {
    JSONText.object(
      [
        ("sigma", "\(sigma)"), ("blur_ms", milliseconds(round.blur)),
        ("copy_ms", milliseconds(round.copy)),
      ] + share(round.share))
  }

  /// A line about a blur that was cancelled.
  package static func line(_ row: Responsiveness.Cancelled) -> String {
    "  \(row.filter): \(tenths(row.ended)) ms, \(tenths(row.computed)) ms, "
      + (row.error ?? "was done before")
  }

  /// The same as a JSON object.
  package static func json(_ row: Responsiveness.Cancelled) -> String {
    JSONText.object([
      ("filter", JSONText.string(row.filter)), ("ended_ms", tenths(row.ended)),
      ("computed_ms", tenths(row.computed)), ("error", row.error.map(JSONText.string) ?? "null"),
    ])
  }

  /// The lateness of sleeps, as a JSON object.
  package static func lateness(idle: Duration, busy: Duration) -> String {
    JSONText.object([("late_idle_ms", tenths(idle)), ("late_busy_ms", tenths(busy))])
  }

  /// Milliseconds with one decimal.
  package static func tenths(_ duration: Duration) -> String {
    duration.milliseconds.text(places: 1)
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
}

extension Duration {
  fileprivate var milliseconds: Double { self / .milliseconds(1) }
}
