import FrostglassCore
import FrostglassGL

/// What the driver of the tests can share. A refusal names the extensions that are missing; whatever
/// else goes wrong is for the tests to find.
enum Sharing {
  /// Whether pictures can be given away.
  static func exports() async throws -> Bool {
    try await works { backend, picture throws(BackendError) in
      _ = try await backend.buffer(sharing: picture)
    }
  }

  /// Whether pictures can be seen a second time.
  static func reflects() async throws -> Bool {
    try await works { backend, picture throws(BackendError) in
      _ = try await backend.reflection(of: picture)
    }
  }

  private static func works(
    _ share: (GLBackend, GLPicture) async throws(BackendError) -> Void
  ) async throws -> Bool {
    let backend = try await GLBackend.start()
    let picture = try await backend.upload(Image.noise(4, 4))
    do throws(BackendError) { try await share(backend, picture) } catch {
      guard case .unsupported(_, let what) = error else { return true }
      return !what.contains("EGL_")
    }
    return true
  }
}
