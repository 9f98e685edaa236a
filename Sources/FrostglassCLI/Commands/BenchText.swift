internal import FrostglassBench
internal import Frostglass
internal import FrostglassGL

/// Writes what was measured, for people and for programs.
enum BenchText {
  /// The first line of the table.
  static let heading = line([
    "backend", "size", "format", "sigma", "threads", "blur ms", "copy ms", "ratio", "MP/s", "runs",
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
      fixed(row.ratio, 2), fixed(megapixels(row, frame), 1), "\(row.runs)",
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
      ] + (row.device.map(device) ?? []))
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
    JSONText.object([
      ("sigma", "\(sigma)"), ("blur_ms", milliseconds(round.blur)),
      ("copy_ms", milliseconds(round.copy)),
    ])
  }

  private static func milliseconds(_ duration: Duration) -> String {
    "\(duration.milliseconds.rounded(places: 4))"
  }

  private static func megapixels(_ row: BenchRow, _ frame: Image) -> Double {
    Double(frame.size.area) / (row.blur / .microseconds(1))
  }

  private static func line(_ cells: [String]) -> String {
    let widths = [10, 13, 21, 7, 9, 11, 10, 9, 9, 6]
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
