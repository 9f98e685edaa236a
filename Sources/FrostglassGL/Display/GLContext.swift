internal import CGLES

/// An OpenGL ES context, current from its creation until it goes.
///
/// Every GL object keeps its context alive, so that objects are always deleted in the context they
/// were made in.
final class GLContext {
  let display: GLDisplay
  let handle: EGLContext
  /// Whether the context survives bad accesses and tells of resets.
  let isRobust: Bool
  /// Whether its objects are gone and its calls mean nothing.
  var isLost = false
  /// What is to fail, for tests.
  let faults: FaultInjector?
  /// A 1×1 surface, where the display cannot do without one.
  private let surface: EGLSurface?
  /// Where the driver's messages go.
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

  /// What GL says about resets: no error as long as there was none, and again when one is over.
  func resetStatus() -> GLenum { resetQuery?() ?? GLenum(GL_NO_ERROR) }

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
