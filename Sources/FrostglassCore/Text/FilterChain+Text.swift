extension FilterChain {
  /// Reads filters written like CSS, or copied from a style sheet.
  ///
  /// A list, `blur(20px) saturate(180%) tint(white, 0.3)`: functions are applied left to right;
  /// arguments are given by position in the order of the filter's table, or as `name=value`. Blurs
  /// see the edges of the plan's options. `none` is a chain that changes nothing.
  ///
  /// A declaration, `backdrop-filter: blur(20px) saturate(180%);`: read as a browser reads it, with
  /// the units, ranges and edges of CSS. Of several the last one counts.
  ///
  /// The grammar is in docs/use/filter-text.md.
  ///
  /// - Throws: `FilterTextError` naming what is wrong, where, and what would be accepted.
  public init(text: String) throws(FilterTextError) {
    var scanner = try FilterScanner(text)
    try scanner.refuseBlocks()
    scanner.skipSpace()
    if let filters = try scanner.takeDeclarations() {
      self.init(filters: filters)
      return
    }
    let start = scanner.position
    guard let filters = try scanner.takeFilters(in: .frostglass) else {
      throw FilterTextError(.empty, start)
    }
    let isSeparated = scanner.take(";")
    if let next = scanner.next {
      guard !isSeparated else { throw FilterTextError(.separator, scanner.position) }
      throw FilterTextError(.unexpected(String(next)), scanner.position)
    }
    self.init(filters: filters)
  }
}

extension FilterScanner {
  /// Takes filters, or `none`; `nil` where there is nothing.
  fileprivate mutating func takeFilters(
    in dialect: FilterDialect
  ) throws(FilterTextError) -> [any Filter]? {
    skipSpace()
    let start = position
    if let word = takeWord() {
      guard word.lowercased() == "none" else { throw FilterTextError(reason(word), start) }
      if let call = try nextCall() { throw FilterTextError(.noneIsNotAlone, call.position) }
      return []
    }
    var filters: [any Filter] = []
    while let call = try nextCall() { filters.append(try FilterReader(call, dialect).filter()) }
    return filters.isEmpty ? nil : filters
  }

  /// Why a word that is no call is not a filter.
  private func reason(_ word: String) -> FilterTextError.Reason {
    let keywords = ["inherit", "initial", "unset", "revert", "revert-layer"]
    if keywords.contains(word.lowercased()) { return .keyword(word) }
    return .missingOpening(filter: word)
  }

  /// Takes everything as declarations when the text begins like one; else takes nothing.
  fileprivate mutating func takeDeclarations() throws(FilterTextError) -> [any Filter]? {
    var winner: (property: CSSFilterProperty, filters: [any Filter], isImportant: Bool)?
    while true {
      skipSpace()
      let start = position
      guard let name = takeName(before: ":") else {
        guard let winner else { return nil }
        if let next { throw FilterTextError(.unexpected(String(next)), position) }
        return winner.property.applied(to: winner.filters)
      }
      guard let property = CSSFilterProperty(name: name) else {
        throw FilterTextError(.unknownProperty(name), start)
      }
      if let winner, winner.property != property { throw FilterTextError(.twoProperties, start) }
      guard let filters = try takeFilters(in: .css(property)) else {
        throw FilterTextError(.noValue(property: name), position)
      }
      let isImportant = try takeImportant()
      if isImportant || winner?.isImportant != true { winner = (property, filters, isImportant) }
      guard take(";") || next == nil else {
        throw FilterTextError(.unexpected(next.map { String($0) } ?? ""), position)
      }
    }
  }

  /// Takes `!important`, if it comes next.
  private mutating func takeImportant() throws(FilterTextError) -> Bool {
    skipSpace()
    let start = position
    guard take("!") else { return false }
    let word = takeName()
    guard word.lowercased() == "important" else {
      throw FilterTextError(.unexpected("!" + word), start)
    }
    return true
  }
}

/// The properties of a style sheet that hold filters.
package enum CSSFilterProperty: String, Sendable, Hashable, CaseIterable {
  /// Filters an element: beyond its border there is nothing.
  case filter = "filter"
  /// Filters what lies behind an element: beyond its border the backdrop is mirrored.
  case backdropFilter = "backdrop-filter"

  /// The property with this name, in any case, with or without `-webkit-`.
  package init?(name: String) {
    let lower = name.lowercased()
    self.init(rawValue: lower.hasPrefix("-webkit-") ? String(lower.dropFirst(8)) : lower)
  }

  /// The edge mode of `blur()`, for what lies beyond the image.
  ///
  /// Source: Filter Effects Module Level 1 (`filter`), Level 2 (`backdrop-filter`, edge mode mirror).
  package var edge: EdgeMode {
    switch self {
    case .filter: .transparent
    case .backdropFilter: .mirror
    }
  }
}

/// A filter that CSS has under the same name with the same meaning.
protocol CSSFunction: Filter {}

extension CSSFilterProperty {
  /// The filters with what the property adds to them: the edge of each blur, and, for a backdrop,
  /// that the result is laid over it.
  func applied(to filters: [any Filter]) -> [any Filter] {
    let edged = filters.map { filter -> any Filter in
      guard var blur = filter as? CSSBlur else { return filter }
      blur.edge = edge
      return blur
    }
    switch self {
    case .filter: return edged
    case .backdropFilter: return edged.isEmpty ? [] : edged + [Over()]
    }
  }
}
