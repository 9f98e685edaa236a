/// Why a plan cannot be made or run.
public enum PlanError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A parameter's value, spelled as given, is not one the filter takes.
  case badValue(filter: String, parameter: String, value: String, accepted: String)
  /// A part of the picture was asked for that is not in it.
  case regionOutside(Rect, picture: Rect)
  /// A picture is too large for what runs the plan.
  case tooLarge(Size, limit: String)
  /// A plan is not well formed; says where.
  case malformed(String)

  /// The error of a filter that another one is made of: names the one that was asked for.
  func inside(_ composite: String) -> PlanError {
    guard case .badValue(let filter, let parameter, let value, let accepted) = self else {
      return self
    }
    return .badValue(
      filter: "\(composite), its \(filter)", parameter: parameter, value: value,
      accepted: accepted)
  }

  public var description: String {
    switch self {
    case .badValue(let filter, let parameter, let value, let accepted):
      "\(filter): \(parameter) is \(value); it must be \(accepted)"
    case .regionOutside(let rect, let picture):
      "the region \(rect) is not inside the picture \(picture)"
    case .tooLarge(let size, let limit):
      "an intermediate picture of \(size) is too large; the limit is \(limit)"
    case .malformed(let what):
      "the plan is not well formed: \(what)"
    }
  }
}
