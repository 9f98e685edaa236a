/// Why a file of regions cannot be read.
public enum RegionsError: Error, Sendable, Hashable, CustomStringConvertible {
  case missing(path: String)
  case unreadable(path: String, reason: String)
  /// Something is wrong in the file. `path` is empty for text in memory.
  case malformed(path: String, place: TextPlace, reason: String)
  /// There is no region in it.
  case empty(path: String)

  public var description: String {
    switch self {
    case .missing(let path):
      "\(path): there is no such file; give the path of a JSON or CSV file with regions"
    case .unreadable(let path, let reason):
      "\(path): cannot be read (\(reason)); give a JSON or CSV file with regions"
    case .malformed(let path, let place, let reason):
      (path.isEmpty ? "" : "\(path):") + "\(place): \(reason)"
    case .empty(let path):
      (path.isEmpty ? "" : "\(path): ")
        + "there are no regions in it; give at least one, or leave this picture out"
    }
  }

  /// The same error, in a file.
  func inFile(_ path: String) -> RegionsError {
    switch self {
    case .malformed("", let place, let reason):
      .malformed(path: path, place: place, reason: reason)
    case .empty(""): .empty(path: path)
    default: self
    }
  }
}
