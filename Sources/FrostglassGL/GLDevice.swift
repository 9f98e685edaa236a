/// A device that a context was made on, as it describes itself.
public struct GLDevice: Sendable, Hashable, CustomStringConvertible {
  public var platform: DisplayPlatform
  /// Version and vendor of EGL.
  public var egl: String
  /// The driver's short name, where EGL tells it.
  public var driver: String?
  /// The device file, where EGL tells it.
  public var renderNode: String?
  /// Whether the context notices resets.
  public var isRobust: Bool
  /// Where the driver or the system tells.
  public var memory: GLMemory?
  public var capabilities: GLCapabilities

  /// All that tells the device and its driver from others, as far as speed goes.
  package var identity: String { capabilities.driverIdentity }

  /// Whether the CPU plays the GPU.
  public var isSoftware: Bool { capabilities.isSoftware }

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
      memory: GLMemory(extensions: capabilities.extensions, renderNode: renderNode),
      capabilities: capabilities)
  }
}
