internal import CGLES
internal import Glibc

/// How much memory a device has, as far as the driver or the system tells.
public struct GLMemory: Sendable, Hashable {
  /// All that pictures can use, in bytes; `nil` where only the rest is known.
  public var total: Int?
  /// What nobody used when the device was asked, in bytes.
  public var free: Int?

  public init(total: Int? = nil, free: Int? = nil) {
    self.total = total
    self.free = free
  }

  /// Asks the current context, then the system; `nil` where neither tells.
  ///
  /// - Parameter renderNode: the device's file, if it is known.
  init?(extensions: Set<String>, renderNode: String?) {
    if extensions.contains("GL_NVX_gpu_memory_info") {
      // Total and current available memory, in KiB.
      self.init(total: GLMemory.bytes(0x9048), free: GLMemory.bytes(0x9049))
    } else if extensions.contains("GL_ATI_meminfo") {
      // The first of four numbers is what is free for textures, in KiB.
      self.init(total: GLMemory.amdTotal(renderNode), free: GLMemory.bytes(0x87FC))
    } else {
      self.init(total: GLMemory.amdTotal(renderNode))
    }
    if total == nil && free == nil { return nil }
  }

  private static func bytes(_ name: GLenum) -> Int? {
    var values: [GLint] = [0, 0, 0, 0]
    glGetIntegerv(name, &values)
    return values[0] > 0 ? Int(values[0]) << 10 : nil
  }

  /// AMD's kernel driver writes it down, in bytes.
  private static func amdTotal(_ renderNode: String?) -> Int? {
    guard let name = renderNode?.split(separator: "/").last else { return nil }
    return HostGraphics.text(of: "/sys/class/drm/\(name)/device/mem_info_vram_total")
      .flatMap { Int($0) }
  }
}
