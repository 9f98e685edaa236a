/// Why there is no such status bar.
public enum StatusBarError: Error, Sendable, Hashable, CustomStringConvertible {
  case unknownMetrics(String, known: [String])
  case badValue(name: String, value: Double, accepted: String)

  public var description: String {
    switch self {
    case .unknownMetrics(let name, let known):
      "no status bar is called “\(name)”; there are \(known.joined(separator: ", "))"
    case .badValue(let name, let value, let accepted):
      "a status bar's \(name) cannot be \(value); it can be \(accepted)"
    }
  }
}
