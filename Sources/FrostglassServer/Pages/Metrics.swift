internal import CHTTP
internal import Frostglass
internal import FrostglassCore
internal import Glibc
internal import Synchronization

/// Counters of requests.
package final class Metrics: Sendable {
  /// Upper bounds of the histograms, in seconds.
  private static let bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

  struct Histogram {
    var counts = [Int](repeating: 0, count: Metrics.bounds.count)
    var count = 0
    var sum = 0.0

    mutating func add(_ seconds: Double) {
      for (index, bound) in Metrics.bounds.enumerated() where seconds <= bound {
        counts[index] += 1
      }
      count += 1
      sum += seconds
    }

    func rows(_ labels: String) -> [MetricFamily.Row] {
      zip(Metrics.bounds.map { "\($0)" } + ["+Inf"], counts + [count]).map { bound, count in
        MetricFamily.Row(
          suffix: "_bucket", labels: "\(labels),le=\"\(bound)\"", value: Double(count))
      } + [
        MetricFamily.Row(suffix: "_sum", labels: labels, value: sum),
        MetricFamily.Row(suffix: "_count", labels: labels, value: Double(count)),
      ]
    }
  }

  private struct State {
    var requests: [String: Int] = [:]
    var durations: [String: Histogram] = [:]
    var stages: [String: Histogram] = [:]
    var received = 0
    var sent = 0
    var decoded = 0
    var encoded = 0
    var recoveries = 0
  }

  private let state = Mutex(State())

  package init() {}

  func count(_ route: String, _ response: Response, seconds: Double, received: Int) {
    state.withLock { state in
      state.requests["route=\"\(route)\",status=\"\(response.status)\"", default: 0] += 1
      state.durations["route=\"\(route)\"", default: Histogram()].add(seconds)
      state.received += received
      state.sent += response.body.count
      state.decoded += Self.number(response["x-frostglass-decoded-pixels"], atMost: 1 << 40)
      state.encoded += Self.number(response["x-frostglass-encoded-pixels"], atMost: 1 << 40)
      state.recoveries += Self.number(response["x-frostglass-recoveries"], atMost: 1000)
      guard let timing = response["server-timing"] else { return }
      for (stage, seconds) in Self.stages(timing) {
        state.stages["stage=\"\(stage)\"", default: Histogram()].add(seconds)
      }
    }
  }

  /// A number that a worker has written, who need not be honest.
  private static func number(_ text: String?, atMost most: Int) -> Int {
    min(max(text.flatMap { Int($0) } ?? 0, 0), most)
  }

  /// The stages of a `Server-Timing` field that a worker has written, in seconds; names that no stage
  /// has are left out, as a worker need not be honest.
  private static func stages(_ text: String) -> [(String, Double)] {
    text.split(separator: ",").compactMap { part in
      let words = part.split(separator: ";").map { $0.filter { !$0.isWhitespace } }
      guard words.count == 2, let stage = Report.Stage(rawValue: words[0]),
        words[1].hasPrefix("dur="),
        let time = Double(words[1].dropFirst(4)), (0...1e9).contains(time)
      else { return nil }
      return (stage.rawValue, time / 1000)
    }
  }

  /// The counters' current values.
  var families: [MetricFamily] {
    let state = state.withLock { $0 }
    func rows(_ all: [String: Histogram]) -> [MetricFamily.Row] {
      all.sorted { $0.key < $1.key }.flatMap { $0.value.rows($0.key) }
    }
    return [
      MetricFamily(
        "requests_total", .counter, "Requests by route and status.",
        state.requests.sorted { $0.key < $1.key }.map {
          MetricFamily.Row(labels: $0.key, value: Double($0.value))
        }),
      MetricFamily(
        "request_seconds", .histogram, "From a request's head to its answer.",
        rows(state.durations)),
      MetricFamily(
        "stage_seconds", .histogram, "How long stages of the work took; they overlap.",
        rows(state.stages)),
      MetricFamily("received_bytes_total", .counter, "Bytes of bodies that came.", state.received),
      MetricFamily("sent_bytes_total", .counter, "Bytes of answers.", state.sent),
      MetricFamily(
        "decoded_pixels_total", .counter, "Pixels of images that were asked about.",
        state.decoded),
      MetricFamily(
        "encoded_pixels_total", .counter, "Pixels of images that were answered.", state.encoded),
      MetricFamily(
        "recoveries_total", .counter, "Failures of a device that were made good.",
        state.recoveries),
    ]
  }
}

/// One thing that is counted or measured, with a row for each set of labels.
package struct MetricFamily: Sendable {
  /// A Prometheus metric type.
  package enum Kind: String, Sendable { case counter, gauge, histogram }

  /// A number, and what tells it from others of its family.
  package struct Row: Sendable {
    /// The suffix of the family's name, such as `_sum` for histograms; otherwise empty.
    var suffix = ""
    /// `reason="crashed"`; empty for none.
    var labels = ""
    var value: Double
  }

  /// Without what it begins with.
  package let name: String
  private let prefix: String
  package let kind: Kind
  /// A one-sentence help text.
  package let help: String
  package let rows: [Row]

  init(
    _ name: String, _ kind: Kind, _ help: String, _ rows: [Row], prefix: String = "frostglass_"
  ) {
    self.name = name
    self.prefix = prefix
    self.kind = kind
    self.help = help
    self.rows = rows
  }

  init(_ name: String, _ kind: Kind, _ help: String, _ value: Int) {
    self.init(name, kind, help, [Row(value: Double(value))])
  }

  /// A row for each value of a label.
  init(_ name: String, _ kind: Kind, _ help: String, by label: String, _ values: [(String, Int)]) {
    self.init(
      name, kind, help,
      values.map { Row(labels: "\(label)=\"\($0.0)\"", value: Double($0.1)) })
  }

  /// The lines that Prometheus reads.
  package var text: String {
    let name = prefix + name
    let lines =
      ["# HELP \(name) \(help)", "# TYPE \(name) \(kind.rawValue)"]
      + rows.map { row in
        let labels = row.labels.isEmpty ? "" : "{\(row.labels)}"
        let number = Int(exactly: row.value).map { "\($0)" } ?? "\(row.value)"
        return "\(name)\(row.suffix)\(labels) \(number)"
      }
    return lines.joined(separator: "\n") + "\n"
  }
}

/// Facts about the process that talks to clients, called as Prometheus' own libraries call them.
enum ProcessMetrics {
  /// The process's current resource use.
  static var families: [MetricFamily] {
    var usage = rusage()
    getrusage(RUSAGE_SELF.rawValue, &usage)
    let times = [usage.ru_utime, usage.ru_stime]
    let cpu = times.reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    // Pages of all its memory, then of what is in memory.
    let pages = numbers("/proc/self/statm").map { $0 * Double(sysconf(Int32(_SC_PAGESIZE))) }
    // Reading the folder has opened it.
    let open = ((try? namesOfFiles(in: "/proc/self/fd"))?.count ?? 1) - 1
    return [
      family("cpu_seconds_total", .counter, "Seconds of cores that it has taken.", cpu),
      family("open_fds", .gauge, "Descriptors that are open.", Double(open)),
      family(
        "max_fds", .gauge, "Descriptors that may be open.", Double(Int(clamping: limit.rlim_cur))),
      family("virtual_memory_bytes", .gauge, "Bytes of addresses.", pages.first ?? 0),
      family("resident_memory_bytes", .gauge, "Bytes in memory.", pages.dropFirst().first ?? 0),
      family("start_time_seconds", .gauge, "When it started, in seconds since 1970.", started),
    ]
  }

  /// The version of the program.
  static let build = MetricFamily(
    "build_info", .gauge, "1, with the version as a label.",
    [MetricFamily.Row(labels: "version=\"\(Version.current)\"", value: 1)])

  private static func family(
    _ name: String, _ kind: MetricFamily.Kind, _ help: String, _ value: Double
  ) -> MetricFamily {
    MetricFamily(
      name, kind, "\(help) Of the process that talks to clients.",
      [MetricFamily.Row(value: value)], prefix: "process_")
  }

  /// Clocks go on between two looks; this stays.
  private static let started: Double = {
    func now(_ clock: clockid_t) -> Double {
      var time = timespec()
      clock_gettime(clock, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    // The 22nd field; the second may have spaces and ends with a parenthesis.
    let text = words("/proc/self/stat")
    let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
    let ticks = fields.count > 19 ? Double(fields[19]) ?? 0 : 0
    let age = now(CLOCK_BOOTTIME) - ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    return ((now(CLOCK_REALTIME) - age) * 1000).rounded() / 1000
  }()

  private static func words(_ path: String) -> String {
    String(decoding: (try? bytesOfFile(path, most: 1 << 16)) ?? [], as: UTF8.self)
  }

  private static func numbers(_ path: String) -> [Double] {
    words(path).split(separator: " ").compactMap { Double($0) }
  }
}
