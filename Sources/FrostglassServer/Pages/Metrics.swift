internal import Frostglass
internal import Synchronization

/// What is counted, as Prometheus reads it.
package final class Metrics: Sendable {
  /// Upper bounds of the histograms, in seconds.
  private static let bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

  private struct Histogram {
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
  }

  private struct State {
    var requests: [String: Int] = [:]
    var durations: [String: Histogram] = [:]
    var stages: [String: Histogram] = [:]
    var received = 0
    var sent = 0
    var recoveries = 0
  }

  private let state = Mutex(State())

  package init() {}

  func count(
    _ route: String, _ response: Response, seconds: Double, waited: Double, received: Int
  ) {
    state.withLock { state in
      state.requests["route=\"\(route)\",status=\"\(response.status)\"", default: 0] += 1
      state.durations["route=\"\(route)\"", default: Histogram()].add(seconds)
      state.received += received
      state.sent += response.body.count
      state.recoveries += min(
        max(response["x-frostglass-recoveries"].flatMap { Int($0) } ?? 0, 0), 1000)
      guard let timing = response["server-timing"] else { return }
      for (stage, seconds) in Self.stages(timing) {
        state.stages["stage=\"\(stage)\"", default: Histogram()].add(seconds)
      }
    }
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

  /// - Parameter gauges: what is now, with its meaning.
  package func text(_ gauges: [(name: String, help: String, value: Double)]) -> String {
    var lines: [String] = []
    func family(_ name: String, _ kind: String, _ help: String, _ rows: [String]) {
      lines += ["# HELP frostglass_\(name) \(help)", "# TYPE frostglass_\(name) \(kind)"] + rows
    }
    func histogram(_ name: String, _ help: String, _ all: [String: Histogram]) {
      var rows: [String] = []
      for (labels, histogram) in all.sorted(by: { $0.key < $1.key }) {
        for (bound, count) in zip(Self.bounds, histogram.counts) {
          rows.append("frostglass_\(name)_bucket{\(labels),le=\"\(bound)\"} \(count)")
        }
        rows.append("frostglass_\(name)_bucket{\(labels),le=\"+Inf\"} \(histogram.count)")
        rows.append("frostglass_\(name)_sum{\(labels)} \(histogram.sum)")
        rows.append("frostglass_\(name)_count{\(labels)} \(histogram.count)")
      }
      family(name, "histogram", help, rows)
    }
    let state = state.withLock { $0 }
    family(
      "requests_total", "counter", "Requests by route and status.",
      state.requests.sorted { $0.key < $1.key }.map {
        "frostglass_requests_total{\($0.key)} \($0.value)"
      })
    histogram(
      "request_seconds", "From a request's head to its answer.", state.durations)
    histogram("stage_seconds", "How long stages of the work took; they overlap.", state.stages)
    let counters = [
      ("received_bytes_total", "Bytes of bodies that came.", state.received),
      ("sent_bytes_total", "Bytes of answers.", state.sent),
      ("recoveries_total", "Failures of a device that were made good.", state.recoveries),
    ]
    for (name, help, value) in counters {
      family(name, "counter", help, ["frostglass_\(name) \(value)"])
    }
    for gauge in gauges {
      family(gauge.name, "gauge", gauge.help, ["frostglass_\(gauge.name) \(gauge.value)"])
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
