/// How sample values relate to light.
public enum Transfer: Sendable, Hashable, CaseIterable {
  /// Encoded with the sRGB curve (or any display curve that is left alone).
  case encoded
  /// Proportional to light.
  case linear
}
