/// The likely fix, in words, for displays that fail or that only the CPU serves.
public enum GLAdvice {
  /// What to try, most likely first; empty when hardware works.
  public static func remedies(
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
