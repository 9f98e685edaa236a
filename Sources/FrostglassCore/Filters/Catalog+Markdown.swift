extension Catalog {
  /// The catalog as a Markdown table, as the README shows it.
  public static var markdown: String {
    let rows = filters.map { $0.info }.map { info in
      "| `\(info.name)` | \(info.summary) | \(info.parameterList) |"
    }
    return (["| filter | what it does | parameters (defaults) |", "|---|---|---|"] + rows)
      .joined(separator: "\n")
  }
}

extension FilterInfo {
  /// `x` (10px), `y`, …
  fileprivate var parameterList: String {
    parameters.map { parameter in
      "`\(parameter.name)`" + (parameter.defaultText.map { " (\($0))" } ?? "")
    }.joined(separator: ", ")
  }
}
