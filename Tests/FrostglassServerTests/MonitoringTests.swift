import FrostglassCore
import FrostglassServer
import TestSupport
import Testing

/// The dashboard and the alerts of deploy/ ask for what there is.
@Suite struct MonitoringTests {
  /// Metrics that Prometheus itself defines.
  private static let ofPrometheus: Set = ["up"]

  private func names() async throws -> Set<Substring> {
    let workers = try Workers(WorkerPool.Options(checking: 1))
    defer { workers.end() }
    let text = try await TestServer(worker: workers).get("/metrics").text
    let names = text.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }
      .map { $0.split(separator: " ")[2] }
    // Where a GPU was used.
    return Set(names + ["frostglass_gpu_memory_bytes"])
  }

  /// The metrics that are named in a text, without what histograms add.
  private func named(in text: String) -> [Substring] {
    text.matches(of: #/\b(?:frostglass|process)_[a-z_]+/#).map { match in
      let end = ["_bucket", "_sum", "_count"].first { match.output.hasSuffix($0) }
      return match.output.dropLast(end?.count ?? 0)
    }
  }

  @Test func everyMetricOfTheAlertsIsThere() async throws {
    let text = try #require(Files.text(of: "\(Files.root)/deploy/alerts.yaml"))
    let named = named(in: text)
    #expect(named.count >= 8)
    #expect(Set(named).subtracting(try await names()).isEmpty, "\(named)")
  }

  @Test func everyMetricOfTheDashboardIsThere() async throws {
    let text = try #require(Files.text(of: "\(Files.root)/deploy/grafana.json"))
    guard case .object(let members) = try JSONValue(text: text).content,
      case .array(let panels)? = members.first(where: { $0.name == "panels" })?.value.content
    else {
      Issue.record("no panels")
      return
    }
    #expect(panels.count >= 9)
    let named = Set(named(in: text))
    let names = try await names()
    #expect(named.subtracting(names).isEmpty, "\(named)")
    // All but the limit of descriptors and the like are shown.
    #expect(names.subtracting(named).count <= 7, "\(names.subtracting(named))")
  }

  /// As a process of Prometheus' own libraries says it.
  @Test func theProcessIsDescribed() async throws {
    let server = try TestServer()
    func value(_ name: String) async throws -> Double? {
      try await server.get("/metrics").text.split(separator: "\n")
        .first { $0.hasPrefix(name + " ") }?.split(separator: " ").last.flatMap { Double($0) }
    }
    let start = try #require(try await value("process_start_time_seconds"))
    #expect(try await value("process_start_time_seconds") == start)
    #expect(start > 1_700_000_000)
    let resident = try #require(try await value("process_resident_memory_bytes"))
    let virtual = try #require(try await value("process_virtual_memory_bytes"))
    #expect(resident > 1_000_000 && virtual > resident)
    let (open, most) = (try await value("process_open_fds"), try await value("process_max_fds"))
    #expect(open ?? 0 > 3 && most ?? 0 >= open ?? .infinity)
    let before = try #require(try await value("process_cpu_seconds_total"))
    for _ in 0..<3 { _ = try await server.post("/v1/blur?sigma=2", try Sample.photograph()) }
    #expect(try await value("process_cpu_seconds_total") ?? 0 > before)
    let build = try await server.get("/metrics").text
    #expect(build.contains("\nfrostglass_build_info{version=\"\(Version.current)\"} 1\n"))
  }
}
