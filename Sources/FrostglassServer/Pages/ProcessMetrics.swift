internal import CHTTP
internal import FrostglassCore
internal import Glibc

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
