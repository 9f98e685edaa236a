/// Why something cannot be scrolled as asked.
public enum ScrollError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A size or constant that cannot be used.
  case badValue(name: String, value: Double, accepted: String)
  /// A number in a step of a script; steps count from 1.
  case badStep(Int, kind: String, name: String, value: Double, accepted: String)
  /// A step begins before the one before it is over, or before that begins. Times in seconds.
  case overlap(step: Int, start: Double, previousEnd: Double)

  public var description: String {
    switch self {
    case .badValue(let name, let value, let accepted):
      "\(name) is \(value); it must be \(accepted)"
    case .badStep(let step, let kind, let name, let value, let accepted):
      "step \(step) (\(kind)): \(name) is \(value); it must be \(accepted)"
    case .overlap(let step, let start, let previousEnd):
      "step \(step) starts at \(start) s, before step \(step - 1) is over; it must start at "
        + "\(previousEnd) s or later"
    }
  }
}
