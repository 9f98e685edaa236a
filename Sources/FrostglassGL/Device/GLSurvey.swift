package import FrostglassCore
internal import Glibc

/// All that EGL and OpenGL ES offer on this machine, working or not.
package struct GLSurvey: Sendable, Hashable {
  /// Every platform and device that was tried, in order of preference.
  package var displays: [DisplayReport]
  package var host: HostGraphics

  package init(displays: [DisplayReport], host: HostGraphics) {
    self.displays = displays
    self.host = host
  }

  /// The devices, each once, in the order of their numbers.
  package var list: DeviceList { DeviceList(displays) }

  /// The device a backend takes by default: the first that is hardware, else the first that works.
  package var chosen: GLDevice? {
    let devices = displays.compactMap(\.device)
    return devices.first { !$0.isSoftware } ?? devices.first
  }

  /// The likely fixes, in words; empty when hardware works.
  package var remedies: [String] { GLAdvice.remedies(for: displays, on: host) }

  /// Opens every display once.
  ///
  /// - Throws: `BackendError.unavailable` only when the survey itself cannot run.
  package static func take() async throws(BackendError) -> GLSurvey {
    let executor = try GLThread()
    defer { executor.stop() }
    return await executor.start {
      GLSurvey(displays: DisplaySearch().survey(), host: HostGraphics())
    }
  }

  /// Whether the machine shows a GPU at all, by its device files; initializes nothing.
  ///
  /// Without one there is no hardware to find, and starting EGL would be time lost.
  package static var hasGPUDeviceNode: Bool {
    // Mesa's GPUs, NVIDIA's; WSL's, Arm's and Qualcomm's own drivers.
    let others: [String] = ["/dev/dxg", "/dev/mali0", "/dev/kgsl-3d0"]
    return !HostGraphics.renderNodes().isEmpty || !HostGraphics.nvidiaNodes().isEmpty
      || others.contains { path in access(path, F_OK) == 0 }
  }
}

/// What came of asking one platform for a context.
package struct DisplayReport: Sendable, Hashable {
  package var platform: DisplayPlatform
  package var outcome: Result<GLDevice, EGLFailure>

  package init(platform: DisplayPlatform, outcome: Result<GLDevice, EGLFailure>) {
    self.platform = platform
    self.outcome = outcome
  }

  /// The device, if a context could be made.
  package var device: GLDevice? {
    if case .success(let device) = outcome { device } else { nil }
  }

  /// Why none could.
  package var failure: EGLFailure? {
    if case .failure(let failure) = outcome { failure } else { nil }
  }
}

/// The likely fix, in words, for displays that fail or that only the CPU serves.
package enum GLAdvice {
  /// What to try, most likely first; empty when hardware works.
  package static func remedies(
    for displays: [DisplayReport], on host: HostGraphics
  ) -> [String] {
    let devices = displays.compactMap(\.device)
    guard devices.allSatisfy(\.isSoftware) else { return [] }
    var remedies: [String] = []
    if host.vendorFiles.isEmpty { remedies.append(missingDriver(host)) }
    if let node = (host.renderNodes + host.nvidiaNodes).first(where: { !$0.isAccessible }) {
      remedies.append(
        "\(node.path) may not be opened: add the user to the group that owns it "
          + "(usually `render` or `video`), or pass the device into the container")
    }
    if !host.nvidiaNodes.isEmpty, !host.hasNvidiaEGL {
      remedies.append(
        "an NVIDIA device is present but libEGL_nvidia.so.0 is not: in a container set "
          + "NVIDIA_DRIVER_CAPABILITIES to include graphics; elsewhere install the driver's "
          + "EGL part")
    }
    if remedies.isEmpty { remedies.append(noHardware(host, works: !devices.isEmpty)) }
    return remedies
  }

  private static func missingDriver(_ host: HostGraphics) -> String {
    if let named = host.vendorOverride {
      return "__EGL_VENDOR_LIBRARY_FILENAMES is \"\(named)\", which names no driver: unset it"
    }
    return "no EGL driver is installed (egl_vendor.d is empty): install the GPU's driver, "
      + "or libegl-mesa0 and libgl1-mesa-dri"
  }

  private static func noHardware(_ host: HostGraphics, works: Bool) -> String {
    guard host.renderNodes.isEmpty, host.nvidiaNodes.isEmpty else {
      return "a GPU is present but its driver gives no OpenGL ES 3.1 context: update the driver"
    }
    return works
      ? "this machine shows no GPU, only a software renderer: use the CPU backends"
      : "this machine shows no GPU: use the CPU backends, or install libegl-mesa0 and "
        + "libgl1-mesa-dri for a software renderer"
  }
}
