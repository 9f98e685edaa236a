import FrostglassGL
import TestSupport

extension GLBackend {
  private static let started = SharedResults<GLOptions, GLBackend>()

  /// The backend with these options that tests share, so that they start fewer contexts and a program is compiled
  /// once for all of them; each keeps few, as there are many backends. Tests that count what a backend holds, does
  /// or survives start their own.
  static func shared(_ options: GLOptions = GLOptions()) async throws -> GLBackend {
    try await started.value(options) {
      var few = options
      few.mostPrograms = 48
      return try await start(few)
    }
  }
}
