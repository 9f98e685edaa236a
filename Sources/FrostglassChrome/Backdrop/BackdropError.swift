/// Why there is no such backdrop view.
public enum BackdropError: Error, Sendable, Hashable, CustomStringConvertible {
  case badValue(name: String, value: Double, accepted: String)
  case badFrame(String, accepted: String)

  public var description: String {
    switch self {
    case .badValue(let name, let value, let accepted):
      "a backdrop view's \(name) cannot be \(value); it can be \(accepted)"
    case .badFrame(let frame, let accepted):
      "a backdrop view's frame cannot be \(frame); it can be \(accepted)"
    }
  }
}
