/// Something that a driver says of its own accord (`GL_KHR_debug`).
public struct GLMessage: Sendable, Hashable, CustomStringConvertible {
  /// What it is about.
  public enum Kind: String, Sendable, Hashable {
    case error, deprecated, undefined, portability, performance, other
  }

  /// How much it matters; what matters less than `low` is not passed on.
  public enum Severity: String, Sendable, Hashable {
    case high, medium, low
  }

  public var kind: Kind
  public var severity: Severity
  /// The driver's words.
  public var text: String

  public init(kind: Kind, severity: Severity, text: String) {
    self.kind = kind
    self.severity = severity
    self.text = text
  }

  public var description: String { "\(kind.rawValue) (\(severity.rawValue)): \(text)" }
}
