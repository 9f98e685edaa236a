public import FrostglassCore

/// Why there are no such rules for contrast.
public enum ContrastError: Error, Sendable, Hashable, CustomStringConvertible {
  case badValue(name: String, value: Double, accepted: String)
  case lightIsNotLighter(light: Color, dark: Color)
  /// A cell's luminance is no number.
  case badLuminance(Double, cell: Int)
  case noCells

  public var description: String {
    switch self {
    case .badValue(let name, let value, let accepted):
      "the \(name) cannot be \(value); it can be \(accepted)"
    case .lightIsNotLighter(let light, let dark):
      "light content of \(light) is not lighter than dark content of \(dark)"
    case .badLuminance(let value, let cell):
      "the luminance of cell \(cell) cannot be \(value); it can be from 0 to 1"
    case .noCells: "a backdrop needs at least one luminance"
    }
  }
}
