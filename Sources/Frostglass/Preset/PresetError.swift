/// Why a preset cannot be read.
public enum PresetError: Error, Sendable, Hashable, CustomStringConvertible {
  case missing(path: String)
  case unreadable(path: String, reason: String)
  /// What the file says cannot be meant; `path` is `nil` for a text that comes from no file.
  case malformed(path: String?, place: TextPlace, reason: String)

  public var description: String {
    switch self {
    case .missing(let path):
      "\(path): there is no such preset; give the path of a file that --save-preset has written"
    case .unreadable(let path, let reason):
      "\(path): cannot be read (\(reason)); give a preset that you may read"
    case .malformed(let path, let place, let reason):
      (path.map { "\($0):" } ?? "") + "\(place): \(reason)"
    }
  }

  /// The same, of a text from this file.
  func inFile(_ path: String) -> PresetError {
    guard case .malformed(_, let place, let reason) = self else { return self }
    return .malformed(path: path, place: place, reason: reason)
  }
}
