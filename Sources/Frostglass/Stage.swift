/// The four stages of the line.
public enum Stage: String, Sendable, Hashable, CaseIterable {
  case decode
  case plan
  case execute
  case encode
}
