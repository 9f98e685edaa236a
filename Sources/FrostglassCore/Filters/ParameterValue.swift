/// A parameter's value, read from text or written as text.
public enum ParameterValue: Sendable, Hashable, CustomStringConvertible {
  case number(Double)
  case integer(Int)
  case sigma(Sigma)
  case length(Length)
  case angle(Angle)
  case color(Color)
  case word(String)

  /// The value in text form; reading it again gives the same value.
  public var description: String {
    switch self {
    case .number(let number): shortest(number)
    case .integer(let number): "\(number)"
    case .sigma(let sigma): "\(sigma)"
    case .length(let length): "\(length)"
    case .angle(let angle): "\(angle)"
    case .color(let color): "\(color)"
    case .word(let word): word
    }
  }
}

extension ParameterValue {
  var number: Double? { if case .number(let value) = self { value } else { nil } }
  var integer: Int? { if case .integer(let value) = self { value } else { nil } }
  var sigma: Sigma? { if case .sigma(let value) = self { value } else { nil } }
  var length: Length? { if case .length(let value) = self { value } else { nil } }
  var angle: Angle? { if case .angle(let value) = self { value } else { nil } }
  var color: Color? { if case .color(let value) = self { value } else { nil } }
  var word: String? { if case .word(let value) = self { value } else { nil } }
}
