/// One thing that is counted or measured, with a row for each set of labels.
package struct MetricFamily: Sendable {
  /// What a number is to Prometheus.
  package enum Kind: String, Sendable { case counter, gauge, histogram }

  /// A number, and what tells it from others of its family.
  package struct Row: Sendable {
    /// What follows the family's name: `_sum` and the like of histograms; otherwise nothing.
    var suffix = ""
    /// `reason="crashed"`; empty for none.
    var labels = ""
    var value: Double
  }

  /// Without `frostglass_`.
  package let name: String
  package let kind: Kind
  /// What it means, in a sentence.
  package let help: String
  package let rows: [Row]

  init(_ name: String, _ kind: Kind, _ help: String, _ rows: [Row]) {
    self.name = name
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
    let name = "frostglass_" + name
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
