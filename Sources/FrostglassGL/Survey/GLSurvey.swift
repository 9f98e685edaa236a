public import FrostglassCore
internal import Glibc

/// All that EGL and OpenGL ES offer on this machine, working or not.
public struct GLSurvey: Sendable, Hashable {
  /// Every platform and device that was tried, in order of preference.
  public var displays: [DisplayReport]
  public var host: HostGraphics

  public init(displays: [DisplayReport], host: HostGraphics) {
    self.displays = displays
    self.host = host
  }

  /// The devices, each once, in the order of their numbers.
  public var list: DeviceList { DeviceList(displays) }

  /// The device a backend takes by default: the first that is hardware, else the first that works.
  public var chosen: GLDevice? {
    let devices = displays.compactMap(\.device)
    return devices.first { !$0.isSoftware } ?? devices.first
  }

  /// The likely fixes, in words; empty when hardware works.
  public var remedies: [String] { GLAdvice.remedies(for: displays, on: host) }

  /// Opens every display once.
  ///
  /// - Throws: `BackendError.unavailable` only when the survey itself cannot run.
  public static func take() async throws(BackendError) -> GLSurvey {
    let executor = try GLThread()
    defer { executor.stop() }
    return await executor.start {
      GLSurvey(displays: DisplaySearch().survey(), host: HostGraphics())
    }
  }

  /// Whether the machine shows a GPU at all, by its device files; initializes nothing.
  ///
  /// Without one there is no hardware to find, and starting EGL would be time lost.
  public static var hasGPUDeviceNode: Bool {
    // Mesa's GPUs, NVIDIA's; WSL's, Arm's and Qualcomm's own drivers.
    let others: [String] = ["/dev/dxg", "/dev/mali0", "/dev/kgsl-3d0"]
    return !HostGraphics.renderNodes().isEmpty || !HostGraphics.nvidiaNodes().isEmpty
      || others.contains { path in access(path, F_OK) == 0 }
  }
}
