internal import Frostglass
internal import FrostglassCore
internal import FrostglassOptions

/// The outcome for an image, as a row of `ImagesReport`.
struct ImageRow: Sendable {
  enum Status: String, Sendable {
    /// It was written.
    case done
    /// It would be written.
    case planned
    /// It is there already.
    case skipped
    /// It has no regions, and was not written.
    case uncovered
    case failed
  }

  var input: String
  /// `nil` where there was none to be written.
  var output: String?
  var status: Status
  /// The result's.
  var size: Size?
  /// More than 1 for an animation; 0 where nothing is written.
  var frames = 0
  var backend: String?
  /// The labels of the covered regions; `nil` for a region without one.
  var covered: [String?] = []
  /// Regions that a filter did not take.
  var leftOut = RegionFilter.LeftOut()
  /// Why it failed.
  var reason: String?

  /// The line that a dry run prints.
  var plannedWords: String {
    let what = size.map { ": \($0.width)×\($0.height)" } ?? ""
    let count = frames > 1 ? ", \(frames) frames" : ""
    let regions =
      covered.isEmpty ? "" : ", \(covered.count) region\(covered.count == 1 ? "" : "s") covered"
    return "would write \(output ?? "")\(what)\(count)\(regions), from \(input)"
  }

  /// The row as a JSON object.
  var json: String {
    func text(_ value: String?) -> String { value.map { JSONText.string($0) } ?? "null" }
    return JSONText.object([
      ("input", input.jsonPath), ("output", output?.jsonPath ?? "null"),
      ("status", JSONText.string(status.rawValue)),
      ("width", size.map { "\($0.width)" } ?? "null"),
      ("height", size.map { "\($0.height)" } ?? "null"), ("frames", "\(frames)"),
      ("backend", text(backend)), ("regions", "\(covered.count)"), ("leftOut", leftOut.json),
      ("error", reason?.jsonPath ?? "null"),
    ])
  }
}

/// The report of `blur`, `redact` and `fill` to programs, on one image or many.
struct ImagesReport {
  var rows: [ImageRow]
  var isDry = false
  /// From begin to end.
  var duration: Duration

  /// Members of the JSON object, but for the command and the notes.
  var members: [(String, String)] {
    let written = rows.filter { $0.status == .done || $0.status == .planned }
    var leftOut = RegionFilter.LeftOut()
    for row in rows { leftOut += row.leftOut }
    let labels = LabelCounts(written.flatMap(\.covered))
    return [
      ("dryRun", isDry ? "true" : "false"),
      ("pictures", JSONText.array(rows.map(\.json))),
      (
        "covered",
        JSONText.object([
          ("regions", "\(labels.regions)"), ("pictures", "\(written.count)"),
          ("labels", JSONText.object(labels.counts.map { ($0.label, "\($0.count)") })),
        ])
      ),
      ("leftOut", leftOut.json),
      ("seconds", "\((duration / .seconds(1)).rounded(places: 3))"),
    ]
  }
}

extension ImagesReport {
  /// Says what a job would write.
  static func dryRun(
    of job: Job, _ regions: RegionOptions?, by pipeline: Pipeline, _ command: String
  ) throws {
    let start = ContinuousClock.now
    let checked: Pipeline.Check
    do { checked = try pipeline.check(job) } catch {
      throw regions?.refusal(error) ?? error.failure
    }
    for note in job.outputs.compactMap({ $0.sink.note(onFormat: $0.format) }) {
      Console.note("frostglass \(command): \(note)")
    }
    say(checked.rows(of: job, regions), since: start, command)
  }

  /// Says what would be written.
  static func say(
    _ rows: [ImageRow], since start: ContinuousClock.Instant, _ command: String
  ) {
    guard Console.speaksJSON else {
      for row in rows { Console.print(row.plannedWords) }
      return
    }
    let report = ImagesReport(rows: rows, isDry: true, duration: start.duration(to: .now))
    Console.print(json: report.members, of: command)
  }
}

/// The number of regions with each label.
struct LabelCounts {
  let regions: Int
  /// Frequent ones first.
  let counts: [(label: String, count: Int)]

  init(_ labels: [String?]) {
    regions = labels.count
    let found = Dictionary(grouping: labels.compactMap { $0 }) { $0 }.mapValues(\.count)
    counts = found.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
  }
}

extension RegionFilter.LeftOut {
  fileprivate var json: String {
    JSONText.object([("byScore", "\(byScore)"), ("byLabel", "\(byLabel)")])
  }
}

extension Pipeline.Check {
  /// Rows of a job that would be run, one for each of its outputs.
  func rows(of job: Job, _ regions: RegionOptions?) -> [ImageRow] {
    zip(job.outputs, zip(sizes, frames)).map { output, made in
      ImageRow(
        input: job.source.name, output: output.sink.name, status: .planned, size: made.0,
        frames: made.1, covered: regions?.labels ?? [],
        leftOut: regions?.leftOut ?? RegionFilter.LeftOut())
    }
  }
}

extension Report {
  /// Rows of a job that was run, one for each of its outputs.
  func rows(of job: Job, _ regions: RegionOptions?) -> [ImageRow] {
    zip(job.outputs, outputs).map { output, made in
      ImageRow(
        input: job.source.name, output: output.sink.name, status: .done, size: made.size,
        frames: made.frames, backend: backend, covered: regions?.labels ?? [],
        leftOut: regions?.leftOut ?? RegionFilter.LeftOut())
    }
  }
}
