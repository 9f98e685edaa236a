internal import CGLES

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
