/// Where an encoded image comes from.
public enum StillSource: Sendable, Hashable {
  /// A file, or anything else that can be opened for reading under this path.
  case file(String)
  /// The process's standard input, read once from where it stands.
  case standardInput
  /// A whole encoded image in memory.
  case bytes([UInt8])

  /// How messages call it: the path, `standard input` or `the given bytes`.
  public var name: String {
    switch self {
    case .file(let path): path
    case .standardInput: "standard input"
    case .bytes: "the given bytes"
    }
  }
}
