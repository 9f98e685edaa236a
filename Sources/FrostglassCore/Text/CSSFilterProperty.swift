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

  /// What `blur()` sees beyond the picture.
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
