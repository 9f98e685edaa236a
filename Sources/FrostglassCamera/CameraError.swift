/// Why a camera gives no frames.
package enum CameraError: Error, Sendable, Hashable, CustomStringConvertible {
  /// There is no such device.
  case missing(path: String)
  /// The device is there and cannot be opened.
  case unreadable(path: String, reason: String)
  /// The device is something else than a camera.
  case noCamera(path: String, String)
  /// The camera does not give what was asked for.
  case notOffered(path: String, String)
  /// A call failed that should not.
  case failed(path: String, call: String, reason: String)

  /// What happened, in words for the one who asked for it.
  package var description: String {
    switch self {
    case .missing(let path):
      "\(path): there is no such device; no camera is connected, or this system has no Video4Linux"
    case .unreadable(let path, let reason): "\(path): cannot be opened (\(reason))"
    case .noCamera(let path, let what), .notOffered(let path, let what): "\(path): \(what)"
    case .failed(let path, let call, let reason): "\(path): \(call) failed (\(reason))"
    }
  }
}
