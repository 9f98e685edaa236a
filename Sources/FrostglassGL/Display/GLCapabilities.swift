internal import CGLES

/// What a device can do: a value, so that a weaker device can be played by a stronger one.
public struct GLCapabilities: Sendable, Hashable {
  public var vendor: String
  public var renderer: String
  /// The version and driver, as the driver spells them.
  public var version: String
  public var extensions: Set<String>
  /// Longest side of a texture and of what is drawn to.
  public var maxTextureSize: Int
  /// Whether fragment shaders can write 32-bit float.
  public var rendersFloat32: Bool
  /// Whether fragment shaders can write 16-bit float.
  public var rendersHalf: Bool
  /// Most invocations of a compute group.
  public var maxComputeInvocations: Int
  /// Bytes that a compute group can share.
  public var maxComputeSharedBytes: Int
  /// Bytes of a uniform block.
  public var maxUniformBlockBytes: Int
  /// Forms in which the driver gives compiled programs out; 0 where it does not.
  public var programBinaryFormats: Int

  /// All that tells one driver and device from another, as far as programs and speed go.
  var driverIdentity: String { "\(vendor)\n\(renderer)\n\(version)" }

  /// The driver's name and version: the version without what every driver says.
  public var driverVersion: String {
    version.split(separator: " ").dropFirst(version.hasPrefix("OpenGL ES ") ? 3 : 0)
      .joined(separator: " ")
  }

  /// Whether the CPU plays the GPU: Mesa's llvmpipe, softpipe and swrast, and SwiftShader.
  public var isSoftware: Bool {
    let name = renderer.lowercased()
    return ["llvmpipe", "softpipe", "swrast", "software rasterizer", "swiftshader"]
      .contains { name.contains($0) }
  }

  /// The least that OpenGL ES 3.1 promises: no extension, nothing beyond the smallest limits.
  public var restrictedToES31Minimum: GLCapabilities {
    var least = self
    least.extensions = []
    least.maxTextureSize = min(maxTextureSize, 2048)
    least.rendersFloat32 = false
    least.rendersHalf = false
    least.maxComputeInvocations = min(maxComputeInvocations, 128)
    least.maxComputeSharedBytes = min(maxComputeSharedBytes, 16 << 10)
    least.maxUniformBlockBytes = min(maxUniformBlockBytes, 16 << 10)
    return least
  }

  /// What a made-up device can do, for tests.
  package init(
    vendor: String = "", renderer: String, version: String = "OpenGL ES 3.1",
    maxComputeInvocations: Int = 1024
  ) {
    self.vendor = vendor
    self.renderer = renderer
    self.version = version
    self.maxComputeInvocations = maxComputeInvocations
    (extensions, maxTextureSize, rendersFloat32, rendersHalf) = ([], 2048, false, false)
    (maxComputeSharedBytes, maxUniformBlockBytes, programBinaryFormats) = (16 << 10, 16 << 10, 0)
  }

  /// Asks the current context.
  init(of context: GLContext) {
    vendor = GLCapabilities.string(GL_VENDOR)
    renderer = GLCapabilities.string(GL_RENDERER)
    version = GLCapabilities.string(GL_VERSION)
    var names: Set<String> = []
    for index in 0..<max(0, GLCapabilities.integer(GL_NUM_EXTENSIONS)) {
      guard let name = glGetStringi(GLenum(GL_EXTENSIONS), GLuint(index)) else { continue }
      names.insert(String(cString: name))
    }
    extensions = names
    var viewport: [GLint] = [0, 0]
    glGetIntegerv(GLenum(GL_MAX_VIEWPORT_DIMS), &viewport)
    maxTextureSize = min(
      GLCapabilities.integer(GL_MAX_TEXTURE_SIZE), Int(viewport[0]), Int(viewport[1]))
    rendersFloat32 = names.contains("GL_EXT_color_buffer_float")
    rendersHalf = rendersFloat32 || names.contains("GL_EXT_color_buffer_half_float")
    maxComputeInvocations = GLCapabilities.integer(GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS)
    maxComputeSharedBytes = GLCapabilities.integer(GL_MAX_COMPUTE_SHARED_MEMORY_SIZE)
    maxUniformBlockBytes = GLCapabilities.integer(GL_MAX_UNIFORM_BLOCK_SIZE)
    programBinaryFormats = GLCapabilities.integer(GL_NUM_PROGRAM_BINARY_FORMATS)
  }

  private static func string(_ name: Int32) -> String {
    glGetString(GLenum(name)).map { String(cString: $0) } ?? ""
  }

  private static func integer(_ name: Int32) -> Int {
    var value: GLint = 0
    glGetIntegerv(GLenum(name), &value)
    return Int(value)
  }
}
