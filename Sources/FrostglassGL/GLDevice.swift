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
  public var capabilities: GLCapabilities

  /// Whether the CPU plays the GPU.
  public var isSoftware: Bool { capabilities.isSoftware }

  public var description: String {
    "\(capabilities.renderer) (\(platform), \(capabilities.version))"
  }

  init(_ context: GLContext, renderNode: String?) {
    platform = context.display.platform
    egl = "\(context.display.version) \(context.display.vendor)"
    driver = context.display.driverName
    self.renderNode = renderNode
    isRobust = context.isRobust
    capabilities = GLCapabilities(of: context)
  }
}
