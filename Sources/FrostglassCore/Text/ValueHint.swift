/// What to say about values that a style sheet may have and a picture cannot know.
enum ValueHint {
  private static let ofFonts: Set<String> = [
    "em", "rem", "ex", "rex", "ch", "rch", "cap", "rcap", "ic", "ric", "lh", "rlh",
  ]
  private static let ofWindows: Set<String> = [
    "vw", "vh", "vi", "vb", "vmin", "vmax", "svw", "svh", "lvw", "lvh", "dvw", "dvh", "cqw", "cqh",
    "cqi", "cqb", "cqmin", "cqmax",
  ]
  private static let functions: Set<String> = [
    "calc", "min", "max", "clamp", "var", "env", "attr", "round", "sin", "cos", "sqrt",
  ]

  /// A hint for a value that cannot be read; `nil` when there is nothing special about it.
  static func about(_ text: String, for kind: ParameterKind, in dialect: FilterDialect) -> String? {
    let lower = text.lowercased()
    if let open = lower.firstIndex(of: "("), functions.contains(trimmed(lower[..<open])) {
      return "\(trimmed(lower[..<open]))() is not computed; write its value"
    }
    guard let quantity = Quantity(text), kind.hasUnits else { return nil }
    if ofFonts.contains(quantity.unit) {
      return "\(quantity.unit) depends on the page's fonts; write px (1rem is 16px unless the page "
        + "says otherwise)"
    }
    if ofWindows.contains(quantity.unit) {
      return "\(quantity.unit) depends on the page's size; write px"
    }
    guard case .css = dialect else { return nil }
    switch (quantity.unit, kind) {
    case ("", .angle): return "CSS wants a unit here: \(trimmed(text[...]))deg"
    case ("", .sigma), ("", .length): return "CSS wants a unit here: \(trimmed(text[...]))px"
    case ("%", .sigma), ("%", .length):
      return "CSS has no percentages here; without the property's name in front, % is a share of "
        + "the shorter side"
    default: return nil
    }
  }
}

extension ParameterKind {
  /// Whether numbers of this kind carry units.
  fileprivate var hasUnits: Bool {
    switch self {
    case .factor, .sigma, .length, .angle: true
    case .integer, .color, .choice: false
    }
  }
}
