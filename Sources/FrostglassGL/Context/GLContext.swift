internal import CGLES
internal import FrostglassCore
internal import Glibc

/// An OpenGL ES context, current from its creation until it goes.
///
/// Every GL object keeps its context alive, so that objects are always deleted in the context they
/// were made in.
final class GLContext {
  let display: GLDisplay
  let handle: EGLContext
  /// True if the context survives out-of-bounds accesses and reports resets.
  let isRobust: Bool
  /// True once the context's objects are gone and its calls mean nothing.
  private var isLost = false
  /// The faults to inject, for tests.
  private let faults: FaultInjector?
  /// A 1×1 surface, where the display cannot do without one.
  private let surface: EGLSurface?
  /// The log that receives the driver's messages.
  private let log: GLLog?
  private lazy var resetQuery = findResetQuery()

  /// Creates the context and makes it current for the caller, for good.
  init(on display: GLDisplay, _ setup: ContextSetup) throws(EGLFailure) {
    self.display = display
    faults = setup.faults
    log = setup.log.map { GLLog($0) }
    // The bound API is a setting of the caller's, not of the process.
    try EGLFailure.check("eglBindAPI") { () -> Void? in
      eglBindAPI(EGLenum(EGL_OPENGL_ES_API)) == EGL_TRUE ? () : nil
    }
    let isSurfaceless = display.extensions.contains("EGL_KHR_surfaceless_context")
    let config = try GLContext.config(of: display, needsSurface: !isSurfaceless)
    let (handle, isRobust) = try GLContext.create(
      on: display, config: config, isDebugging: setup.isDebugging)
    self.handle = handle
    self.isRobust = isRobust
    self.surface =
      isSurfaceless
      ? nil
      : eglCreatePbufferSurface(display.handle, config, [EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE])
    let surface = surface
    // All properties are set: where this throws, `deinit` cleans up.
    try EGLFailure.check("eglMakeCurrent") { () -> Void? in
      eglMakeCurrent(display.handle, surface, surface, handle) == EGL_TRUE ? () : nil
    }
    if setup.isDebugging { log?.listen(to: extensions) }
  }

  deinit {
    // Another one is current already where this one was lost.
    if eglGetCurrentContext() == handle {
      log?.stopListening()
      eglMakeCurrent(display.handle, nil, nil, nil)
    }
    if let surface { eglDestroySurface(display.handle, surface) }
    eglDestroyContext(display.handle, handle)
  }

  /// A configuration, or none where contexts can do without.
  ///
  /// The surface type is always named, as the default asks for windows, which headless displays
  /// do not have.
  private static func config(
    of display: GLDisplay, needsSurface: Bool
  ) throws(EGLFailure) -> EGLConfig? {
    if !needsSurface, display.extensions.contains("EGL_KHR_no_config_context") { return nil }
    let attributes: [EGLint] = [
      EGL_SURFACE_TYPE, needsSurface ? EGL_PBUFFER_BIT : 0,
      EGL_RENDERABLE_TYPE, EGL_OPENGL_ES3_BIT, EGL_NONE,
    ]
    return try EGLFailure.check("eglChooseConfig") {
      var config: EGLConfig?
      var count: EGLint = 0
      guard eglChooseConfig(display.handle, attributes, &config, 1, &count) == EGL_TRUE, count > 0
      else { return nil }
      return config
    }
  }

  /// Tries a robust context first where one is offered; drivers may still refuse it.
  private static func create(
    on display: GLDisplay, config: EGLConfig?, isDebugging: Bool
  ) throws(EGLFailure) -> (EGLContext, isRobust: Bool) {
    var version = [EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 1]
    // An attribute since EGL 1.5.
    if isDebugging, !display.version.hasPrefix("1.4") {
      version += [EGL_CONTEXT_OPENGL_DEBUG, EGL_TRUE]
    }
    if display.extensions.contains("EGL_EXT_create_context_robustness") {
      let robust = [
        EGL_CONTEXT_OPENGL_ROBUST_ACCESS_EXT, EGL_TRUE,
        EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY_EXT, EGL_LOSE_CONTEXT_ON_RESET_EXT,
      ]
      if let context = eglCreateContext(display.handle, config, nil, version + robust + [EGL_NONE])
      {
        return (context, true)
      }
    }
    let context = try EGLFailure.check("eglCreateContext (OpenGL ES 3.1)") {
      eglCreateContext(display.handle, config, nil, version + [EGL_NONE])
    }
    return (context, false)
  }

  /// The names of GL's extensions; the context is current.
  var extensions: Set<String> {
    var count: GLint = 0
    glGetIntegerv(GLenum(GL_NUM_EXTENSIONS), &count)
    return Set(
      (0..<max(0, count)).compactMap { index in
        glGetStringi(GLenum(GL_EXTENSIONS), GLuint(index)).map { String(cString: $0) }
      })
  }

  /// Returns GL's reset status: no error before a reset, and again once it is over.
  private func resetStatus() -> GLenum { resetQuery?() ?? GLenum(GL_NO_ERROR) }

  private typealias ResetQuery = @convention(c) () -> GLenum

  private func findResetQuery() -> ResetQuery? {
    guard isRobust else { return nil }
    let extensions = extensions
    for suffix in ["KHR", "EXT"] where extensions.contains("GL_\(suffix)_robustness") {
      return EGLClient.function("glGetGraphicsResetStatus\(suffix)", as: ResetQuery.self)
    }
    return nil
  }
}

/// The operations that can fail in a context. All go through here, so that tests can make them fail.
extension GLContext {
  /// A request for memory.
  enum Allocation {
    case texture(Size, TextureFormat)
    /// A buffer of so many bytes.
    case buffer(Int)
  }

  /// Throws the first error that GL has noted since the last check: the boundary of a pass or a
  /// transfer.
  ///
  /// It costs a trip to the driver, on some to the GPU: once per boundary, nowhere else.
  func check(_ activity: @autoclosure () -> String) throws(GLFailure) {
    if let faults, !isLost, faults.strikes(.checkpoint) { playLost() }
    guard !isLost else { throw .lost(during: activity()) }
    do {
      try GLFailure.check(activity())
    } catch {
      // Not every driver has an error that says so.
      if resetStatus() != GL_NO_ERROR { throw markLost(activity()) }
      if case .lost = error { throw markLost(activity()) }
      throw error
    }
  }

  /// Looks for errors in builds for debugging only, after any group of calls.
  func debugCheck(_ activity: @autoclosure () -> String) throws(GLFailure) {
    #if DEBUG
      guard !isLost else { return }
      try GLFailure.check(activity())
    #endif
  }

  /// Throws if the context was lost, as what was read from it then means nothing. To be asked once
  /// per result: it is a call into the kernel.
  func confirm(_ activity: @autoclosure () -> String) throws(GLFailure) {
    guard !isLost else { throw .lost(during: activity()) }
    if resetStatus() != GL_NO_ERROR { throw markLost(activity()) }
  }

  /// Runs a call that allocates, and throws if it gets nothing.
  func allocate(_ allocation: Allocation, _ call: () -> Void) throws(GLFailure) {
    let activity: String
    var isTooLong = false
    switch allocation {
    case .texture(let size, let format):
      activity = "a texture of \(size)"
      if let faults = self.faults {
        let bytes = size.area * format.bytesPerTexel
        isTooLong = max(size.width, size.height) > faults.faults.longestSide ?? .max
        if faults.strikes(.texture, orIf: bytes > faults.faults.textureBytes ?? .max) {
          throw .outOfMemory(during: activity)
        }
      }
    case .buffer(let bytes):
      activity = "a buffer of \(bytes) bytes"
      if isToFail(.buffer) { throw .outOfMemory(during: activity) }
    }
    if isTooLong { GLContext.allocateTooLong() } else { call() }
    do {
      try check(activity)
    } catch {
      guard case .gl(_, let code) = error, case .texture(let size, _) = allocation else {
        throw error
      }
      throw .texture(size, code: code)
    }
  }

  /// Asks for what no driver has, to hear it refuse.
  private static func allocateTooLong() {
    glTexStorage2D(GLenum(GL_TEXTURE_2D), 1, GLenum(GL_RGBA8), .max, 1)
  }

  /// Deletes an object, unless it went with the context or another context is current, in which its
  /// name may be that of something else.
  func delete(_ body: () -> Void) {
    if !isLost, eglGetCurrentContext() == handle { body() }
  }

  /// Counts an operation and returns true if it is to fail, for tests.
  func isToFail(_ point: GLFaults.Point) -> Bool {
    faults.map { $0.strikes(point) } ?? false
  }

  /// Counts a framebuffer and returns true if it is to be incomplete, for tests.
  func isToRefuseFramebuffer() -> Bool { faults?.strikes(.framebuffer) ?? false }

  /// Waits until the GPU is over its reset, for at most a second: a new context fails until then.
  func waitForResetToEnd() {
    var patience = 100
    while patience > 0, resetStatus() != GL_NO_ERROR {
      usleep(10_000)
      patience -= 1
    }
  }

  /// Gives the context up.
  func markLost(_ activity: String) -> GLFailure {
    isLost = true
    return .lost(during: activity)
  }

  /// No longer current, a context behaves as a lost one: calls do nothing and tell nothing.
  private func playLost() {
    eglMakeCurrent(display.handle, nil, nil, nil)
    isLost = true
  }
}

/// Options for a context, apart from its display.
struct ContextSetup {
  /// True if the driver is to check its use closely and report what it finds.
  var isDebugging = false
  /// The function that receives the driver's messages.
  var log: (@Sendable (GLMessage) -> Void)?
  /// The faults to inject, for tests.
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
    faults = options.faults.map { FaultInjector($0) }
  }

  private static let complain: @Sendable (GLMessage) -> Void = { message in
    let line = Array("frostglass gl: \(message)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
  }
}

/// Hands on what a driver says (`GL_KHR_debug`). Lives as long as its context.
final class GLLog {
  private typealias Callback =
    @convention(c) (
      GLenum, GLenum, GLuint, GLenum, GLsizei, UnsafePointer<GLchar>?, UnsafeRawPointer?
    ) -> Void
  private typealias SetCallback = @convention(c) (Callback?, UnsafeRawPointer?) -> Void

  private let tell: @Sendable (GLMessage) -> Void
  private var setCallback: SetCallback?

  init(_ tell: @escaping @Sendable (GLMessage) -> Void) {
    self.tell = tell
  }

  /// Begins; the context is current.
  ///
  /// - Parameter extensions: GL's. Without the right one nothing is ever heard.
  func listen(to extensions: Set<String>) {
    guard extensions.contains("GL_KHR_debug"),
      let set = EGLClient.function("glDebugMessageCallbackKHR", as: SetCallback.self)
    else { return }
    setCallback = set
    // On the thread that made the call, before it returns.
    glEnable(GLenum(GL_DEBUG_OUTPUT_SYNCHRONOUS))
    glEnable(GLenum(GL_DEBUG_OUTPUT))
    set(GLLog.hear, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Ends; the context is still current.
  func stopListening() {
    setCallback?(nil, nil)
  }

  private static let hear: Callback = { _, type, _, severity, length, text, log in
    guard let log, let text, let severity = GLMessage.Severity(severity) else { return }
    let bytes = UnsafeRawBufferPointer(start: text, count: Int(length))
    var words = String(decoding: bytes, as: UTF8.self)
    while words.last?.isWhitespace ?? false { words.removeLast() }
    Unmanaged<GLLog>.fromOpaque(log).takeUnretainedValue().tell(
      GLMessage(kind: GLMessage.Kind(type), severity: severity, text: words))
  }
}

/// Something that a driver says of its own accord (`GL_KHR_debug`).
public struct GLMessage: Sendable, Hashable, CustomStringConvertible {
  /// The subject of a message.
  public enum Kind: String, Sendable, Hashable {
    case error, deprecated, undefined, portability, performance, other
  }

  /// The severity of a message. Messages below `low` are not passed on.
  public enum Severity: String, Sendable, Hashable {
    case high, medium, low
  }

  /// The subject of the message.
  public var kind: Kind
  /// The severity of the message.
  public var severity: Severity
  /// The driver's words.
  public var text: String

  /// A message with the driver's own words.
  public init(kind: Kind, severity: Severity, text: String) {
    self.kind = kind
    self.severity = severity
    self.text = text
  }

  /// Kind, severity and words.
  public var description: String { "\(kind.rawValue) (\(severity.rawValue)): \(text)" }
}

extension GLMessage.Kind {
  fileprivate init(_ type: GLenum) {
    switch Int32(type) {
    case GL_DEBUG_TYPE_ERROR: self = .error
    case GL_DEBUG_TYPE_DEPRECATED_BEHAVIOR: self = .deprecated
    case GL_DEBUG_TYPE_UNDEFINED_BEHAVIOR: self = .undefined
    case GL_DEBUG_TYPE_PORTABILITY: self = .portability
    case GL_DEBUG_TYPE_PERFORMANCE: self = .performance
    default: self = .other
    }
  }
}

extension GLMessage.Severity {
  /// `nil` for what is only noted.
  fileprivate init?(_ severity: GLenum) {
    switch Int32(severity) {
    case GL_DEBUG_SEVERITY_HIGH: self = .high
    case GL_DEBUG_SEVERITY_MEDIUM: self = .medium
    case GL_DEBUG_SEVERITY_LOW: self = .low
    default: return nil
    }
  }
}
