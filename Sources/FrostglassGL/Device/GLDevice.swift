internal import CGLES
internal import FrostglassShaders
internal import Glibc

/// A device that a context was made on, as it describes itself.
public struct GLDevice: Sendable, Hashable, CustomStringConvertible {
  /// The platform of the display that the device was found on.
  package var platform: DisplayPlatform
  /// Version and vendor of EGL.
  public var egl: String
  /// The driver's short name, where EGL tells it.
  public var driver: String?
  /// The device file, where EGL tells it.
  public var renderNode: String?
  /// True if the context notices resets.
  public var isRobust: Bool
  /// The device's memory, if the driver or the system reports it.
  package var memory: GLMemory?
  /// The device's capabilities.
  package var capabilities: GLCapabilities

  /// True for a software renderer.
  public var isSoftware: Bool { capabilities.isSoftware }

  /// Renderer, platform and version of OpenGL ES.
  public var description: String {
    "\(capabilities.renderer) (\(platform), \(capabilities.version))"
  }

  package init(
    platform: DisplayPlatform, egl: String = "1.5", driver: String? = nil,
    renderNode: String? = nil, isRobust: Bool = false, memory: GLMemory? = nil,
    capabilities: GLCapabilities
  ) {
    self.platform = platform
    self.egl = egl
    self.driver = driver
    self.renderNode = renderNode
    self.isRobust = isRobust
    self.memory = memory
    self.capabilities = capabilities
  }

  init(_ context: GLContext, renderNode: String?) {
    let capabilities = GLCapabilities(of: context)
    self.init(
      platform: context.display.platform,
      egl: "\(context.display.version) \(context.display.vendor)",
      driver: context.display.driverName, renderNode: renderNode, isRobust: context.isRobust,
      memory: GLMemory(capabilities, renderNode: renderNode),
      capabilities: capabilities)
  }
}

/// The capabilities of a device, as a value: a stronger device can play a weaker one.
package struct GLCapabilities: Sendable, Hashable {
  package var vendor: String
  package var renderer: String
  /// The version and driver, as the driver spells them.
  package var version: String
  package var extensions: Set<String>
  /// Longest side of a texture and of what is drawn to.
  package var maxTextureSize: Int
  /// True if fragment shaders can write 32-bit float.
  package var rendersFloat32: Bool
  /// True if fragment shaders can write 16-bit float.
  package var rendersHalf: Bool
  /// Most invocations of a compute group.
  package var maxComputeInvocations: Int
  /// Bytes that a compute group can share.
  package var maxComputeSharedBytes: Int
  /// True if groups are to share the samples of windows; `nil` for the device's default.
  var wantsSharedWindows: Bool?
  /// False once the driver has refused a program that makes blocks.
  package var takesBlocks = true
  /// Bytes of a uniform block.
  package var maxUniformBlockBytes: Int
  /// Bytes of a storage buffer that a program reads or writes; 0 where programs take too few of them.
  package var maxStorageBytes: Int
  /// True if an image of 32-bit words may alias a texture of four 8-bit samples, as both have texels of one size.
  package var matchesImagesBySize: Bool

  /// The driver's name and version: the version without what every driver says.
  package var driverVersion: String {
    version.split(separator: " ").dropFirst(version.hasPrefix("OpenGL ES ") ? 3 : 0)
      .joined(separator: " ")
  }

  /// True for a software renderer: Mesa's llvmpipe, softpipe and swrast, SwiftShader, and the renderer behind Mesa's
  /// d3d12 on Windows without a GPU.
  package var isSoftware: Bool {
    let name = renderer.lowercased()
    return [
      "llvmpipe", "softpipe", "swrast", "software rasterizer", "swiftshader",
      "microsoft basic render",
    ]
    .contains { name.contains($0) }
  }

  /// True for Mesa's OpenGL over a software Vulkan. There zink builds uniforms into compute programs, and 22.3 takes
  /// the uniforms of another dispatch for them: it was seen to leave out whole layers. It does not with
  /// `ZINK_INLINE_UNIFORMS=0`, nor on any GPU, where zink does not build uniforms in.
  package var isZinkOnCPU: Bool { isSoftware && renderer.lowercased().hasPrefix("zink") }

  /// The least that OpenGL ES 3.1 promises: no extension, nothing beyond the smallest limits.
  package var restrictedToES31Minimum: GLCapabilities {
    var least = self
    least.extensions = []
    least.maxTextureSize = min(maxTextureSize, 2048)
    least.rendersFloat32 = false
    least.rendersHalf = false
    least.maxComputeInvocations = min(maxComputeInvocations, 128)
    least.maxComputeSharedBytes = min(maxComputeSharedBytes, 16 << 10)
    least.maxUniformBlockBytes = min(maxUniformBlockBytes, 16 << 10)
    least.maxStorageBytes = min(maxStorageBytes, 1 << 27)
    least.matchesImagesBySize = false
    return least
  }

  /// True if a group may have `ShaderBlock.invocations` invocations. A device without compute shaders reports 0.
  var computes: Bool { maxComputeInvocations >= ShaderBlock.invocations }

  /// Returns true if the device takes a block's program and the memory that its groups share.
  func shares(_ block: ShaderBlock) -> Bool {
    takesBlocks && block.sharedBytes <= maxComputeSharedBytes
  }

  /// Returns true if groups share the samples of windows. Software renderers do not: a CPU's caches are as good as
  /// shared memory, which llvmpipe reads number by number. There sharing takes five times as long for `bilateral`, and
  /// twice as long for medians that read two words instead of one.
  func sharesWindows(in stage: ShaderStage) -> Bool {
    stage != .fragment && wantsSharedWindows ?? !isSoftware
  }

  /// The largest images of 8 bits that are held in storage buffers: those of GPUs. Of a processor's memory textures
  /// are as good.
  func mostStorageBytes(in stage: ShaderStage) -> Int {
    sharesWindows(in: stage) ? maxStorageBytes : 0
  }

  /// As asked for: the least that OpenGL ES 3.1 promises, or less.
  func restricted(by options: GLOptions) -> GLCapabilities {
    var restricted = options.restrictToES31Minimum ? restrictedToES31Minimum : self
    restricted.maxComputeSharedBytes = min(
      restricted.maxComputeSharedBytes, options.mostSharedBytes ?? .max)
    restricted.maxStorageBytes = min(restricted.maxStorageBytes, options.mostStorageBytes ?? .max)
    restricted.wantsSharedWindows = options.sharesWindows
    return restricted
  }

  /// Creates the capabilities of a made-up device, for tests.
  package init(
    vendor: String = "", renderer: String, version: String = "OpenGL ES 3.1",
    maxComputeInvocations: Int = 1024
  ) {
    self.vendor = vendor
    self.renderer = renderer
    self.version = version
    self.maxComputeInvocations = maxComputeInvocations
    (extensions, maxTextureSize, rendersFloat32, rendersHalf) = ([], 2048, false, false)
    (maxComputeSharedBytes, maxUniformBlockBytes) = (16 << 10, 16 << 10)
    matchesImagesBySize = false
    maxStorageBytes = 1 << 27
  }

  /// Asks the current context.
  init(of context: GLContext) {
    vendor = GLCapabilities.string(GL_VENDOR)
    renderer = GLCapabilities.string(GL_RENDERER)
    version = GLCapabilities.string(GL_VERSION)
    extensions = context.extensions
    var viewport: [GLint] = [0, 0]
    glGetIntegerv(GLenum(GL_MAX_VIEWPORT_DIMS), &viewport)
    maxTextureSize = min(
      GLCapabilities.integer(GL_MAX_TEXTURE_SIZE), Int(viewport[0]), Int(viewport[1]))
    rendersFloat32 = extensions.contains("GL_EXT_color_buffer_float")
    rendersHalf = rendersFloat32 || extensions.contains("GL_EXT_color_buffer_half_float")
    maxComputeInvocations = GLCapabilities.integer(GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS)
    maxComputeSharedBytes = GLCapabilities.integer(GL_MAX_COMPUTE_SHARED_MEMORY_SIZE)
    maxUniformBlockBytes = GLCapabilities.integer(GL_MAX_UNIFORM_BLOCK_SIZE)
    maxStorageBytes =
      GLCapabilities.integer(GL_MAX_COMPUTE_SHADER_STORAGE_BLOCKS) > ShaderVariant.mostBuffers
      ? GLCapabilities.integer(GL_MAX_SHADER_STORAGE_BLOCK_SIZE) : 0
    matchesImagesBySize =
      GLCapabilities.matchesBySize(.rgba8) && GLCapabilities.matchesBySize(.rgba8ui)
  }

  /// Returns true if images of another format may alias textures of this one whose texels have the same size, as the
  /// driver reports for one texture. Otherwise formats have to be of one class, which words and 8-bit samples are not.
  private static func matchesBySize(_ format: TextureFormat) -> Bool {
    var texture: GLuint = 0
    glGenTextures(1, &texture)
    defer { glDeleteTextures(1, &texture) }
    glBindTexture(GLenum(GL_TEXTURE_2D), texture)
    glTexStorage2D(GLenum(GL_TEXTURE_2D), 1, format.sized, 1, 1)
    var rule: GLint = 0
    glGetTexParameteriv(
      GLenum(GL_TEXTURE_2D), GLenum(GL_IMAGE_FORMAT_COMPATIBILITY_TYPE), &rule)
    // A driver that does not know the question is not asked again, nor blamed later.
    return glGetError() == GL_NO_ERROR && rule == GL_IMAGE_FORMAT_COMPATIBILITY_BY_SIZE
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

/// The memory of a device, as far as the driver or the system reports it.
package struct GLMemory: Sendable, Hashable {
  /// All that images can use, in bytes; `nil` where only the rest is known.
  package var total: Int?
  /// The bytes that were free when the device was asked.
  package var free: Int?

  package init(total: Int? = nil, free: Int? = nil) {
    self.total = total
    self.free = free
  }

  /// Asks NVIDIA's library, or the system; `nil` where neither tells. OpenGL ES has no query for it.
  ///
  /// - Parameter renderNode: the device's file, if it is known.
  init?(_ capabilities: GLCapabilities, renderNode: String?) {
    if capabilities.vendor.hasPrefix("NVIDIA") {
      self = GLMemory.managed
    } else if let total = GLMemory.amdTotal(renderNode) {
      self.init(total: total)
    } else if !capabilities.isSoftware, let shared = GLMemory.shared(renderNode) {
      self = shared
    } else {
      return nil
    }
    if total == nil && free == nil { return nil }
  }

  /// The memory that NVIDIA's management library reports, asked once. NVIDIA's driver reports none to OpenGL ES.
  private static let managed = GLMemory(managedBy: "libnvidia-ml.so.1")

  /// Asks NVIDIA's management library (NVML).
  ///
  /// Which of several GPUs a context is on is not known there: so it is the least of all that they have, and
  /// what is free is only known of one. Nothing where there is no such library.
  package init(managedBy library: String) {
    self.init()
    let devices = NVIDIAManagement(library)?.devices ?? []
    total = devices.map(\.total).min()
    free = devices.count == 1 ? devices[0].free : nil
  }

  /// Creates the memory of a GPU that shares the system's: all that is available. A process that takes at most half of
  /// it leaves the system enough.
  ///
  /// - Parameters:
  ///   - device: the folder that the kernel has for the device.
  ///   - available: the memory that the system can give, in bytes.
  /// - Returns: `nil` for a device that may have memory of its own.
  package init?(sharedBy device: String, available: Int?) {
    guard let name = device.split(separator: "/").last, let available else { return nil }
    // Devices of a chip are on no PCI bus; Intel's GPUs that are part of a processor are on the first, which
    // is called 0000:00, and cards never are.
    guard name.filter({ $0 == ":" }).count != 2 || name.hasPrefix("0000:00:") else { return nil }
    self.init(total: available)
  }

  /// Returns the system memory available to a device without memory of its own.
  private static func shared(_ renderNode: String?) -> GLMemory? {
    guard let name = renderNode?.split(separator: "/").last,
      let path = realpath("/sys/class/drm/\(name)/device", nil)
    else { return nil }
    defer { Glibc.free(path) }
    return GLMemory(
      sharedBy: String(cString: path),
      available: available(of: HostGraphics.text(of: "/proc/meminfo") ?? ""))
  }

  /// The bytes that `/proc/meminfo` calls available.
  package static func available(of text: String) -> Int? {
    let words = text.split(separator: " ")
    return words.firstIndex(of: "MemAvailable:")
      .flatMap { $0 + 1 < words.count ? Int(words[$0 + 1]) : nil }
      .map { $0 << 10 }
  }

  /// AMD's kernel driver writes it down, in bytes.
  private static func amdTotal(_ renderNode: String?) -> Int? {
    guard let name = renderNode?.split(separator: "/").last else { return nil }
    return HostGraphics.text(of: "/sys/class/drm/\(name)/device/mem_info_vram_total")
      .flatMap { Int($0) }
  }
}

/// The stage that runs a device's passes, and the reason.
package struct StageChoice: Sendable, Hashable, CustomStringConvertible {
  /// Never `automatic`.
  package var stage: GLOptions.Stage
  /// Why, in words.
  package var reason: String

  package var description: String { "\(stage) (\(reason))" }

  private init(_ stage: GLOptions.Stage, _ reason: String) {
    self.stage = stage
    self.reason = reason
  }

  /// Goes by what the device is: the pages in `Benchmarks/results` have the times that this follows from.
  package init(_ options: GLOptions, _ capabilities: GLCapabilities) {
    if options.stage != .automatic {
      self.init(options.stage, "asked for")
    } else if capabilities.isZinkOnCPU {
      // Its compute programs are wrong there, see docs/operate/gpu.md.
      self.init(.fragment, "zink on a software renderer")
    } else if !capabilities.computes {
      self.init(.fragment, "all that the device has")
    } else if capabilities.isSoftware {
      // Fetches are what costs there, in all versions of all of them.
      self.init(.blocked, "a software renderer")
    } else {
      self.init(.compute, "a GPU that computes")
    }
  }
}
