extension Catalog {
  /// All filters with their parameters as a JSON array, as listings show them.
  package static var json: String { JSONText.array(filters.map { $0.info.json }) }
}

extension FilterInfo {
  /// The row as a JSON object.
  package var json: String {
    JSONText.object([
      ("name", JSONText.string(name)), ("summary", JSONText.string(summary)),
      ("parameters", JSONText.array(parameters.map(\.json))),
      ("example", JSONText.string(example)),
      ("isStyle", "\(Catalog.styles.contains { $0.name == name })"),
    ])
  }
}

extension FilterInfo.Parameter {
  fileprivate var json: String {
    var members = [
      ("name", JSONText.string(name)), ("kind", JSONText.string(kind.word)),
      ("units", JSONText.array(kind.units.map { JSONText.string($0) })),
      ("default", defaultText.map { JSONText.string($0) } ?? "null"),
      ("help", JSONText.string(help)),
    ]
    if let limits = kind.limits {
      members.append(("minimum", JSONText.string(limits.low)))
      if let high = limits.high { members.append(("maximum", JSONText.string(high))) }
    }
    if case .choice(let words) = kind {
      members.append(("choices", JSONText.array(words.map { JSONText.string($0) })))
    }
    return JSONText.object(members)
  }
}
