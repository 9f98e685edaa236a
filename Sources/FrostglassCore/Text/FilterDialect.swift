/// In whose language filters are written.
enum FilterDialect: Sendable, Hashable {
  /// Frostglass's own, which CSS functions are part of: `blur(2%) tint(white, 0.3)`.
  case frostglass
  /// A declaration of a style sheet, read as a browser reads it.
  case css(CSSFilterProperty)
}
