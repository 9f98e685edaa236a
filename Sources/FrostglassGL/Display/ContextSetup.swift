internal import Glibc

/// How a context is made, beside the display it is made on.
struct ContextSetup {
  /// Whether the driver is to look closely and to speak up.
  var isDebugging = false
  /// Where its messages go.
  var log: (@Sendable (GLMessage) -> Void)?
  /// What is to fail, for tests.
  var faults: FaultInjector?

  init() {}

  /// - Parameter log: where messages go; `nil` is standard error.
  init(_ options: GLOptions, log: (@Sendable (GLMessage) -> Void)?) {
    let isAsked = getenv("FROSTGLASS_GL_DEBUG").map { String(cString: $0) } == "1"
    isDebugging = options.debug || isAsked
    #if DEBUG
      isDebugging = true
    #endif
    self.log = log ?? (options.debug || isAsked ? ContextSetup.complain : nil)
    faults = FaultInjector(options.faults)
  }

  private static let complain: @Sendable (GLMessage) -> Void = { message in
    let line = Array("frostglass gl: \(message)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
  }
}
