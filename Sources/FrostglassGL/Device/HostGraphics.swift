internal import FrostglassCore
internal import Glibc

/// The machine's GPUs and drivers as files and variables show them. No driver is asked.
package struct HostGraphics: Sendable, Hashable {
  /// A device file of a GPU.
  package struct Node: Sendable, Hashable {
    package var path: String
    /// True if this process may open the file for reading and writing.
    package var isAccessible: Bool

    package init(path: String, isAccessible: Bool) {
      self.path = path
      self.isAccessible = isAccessible
    }
  }

  /// `/dev/dri/renderD*`.
  package var renderNodes: [Node]
  /// `/dev/nvidia0`, ….
  package var nvidiaNodes: [Node]
  /// Descriptions of EGL drivers that the loader will read.
  package var vendorFiles: [String]
  /// `__EGL_VENDOR_LIBRARY_FILENAMES`, which replaces the search for drivers.
  package var vendorOverride: String?
  /// True if NVIDIA's EGL driver can be loaded.
  package var hasNvidiaEGL: Bool
  /// True if all of NVIDIA's GPUs are split into instances (MIG).
  package var hasSplitGPUs: Bool
  /// `NVIDIA_DRIVER_CAPABILITIES`: what of the driver a container has been given.
  package var driverCapabilities: String?

  package init(
    renderNodes: [Node] = [], nvidiaNodes: [Node] = [], vendorFiles: [String] = [],
    vendorOverride: String? = nil, hasNvidiaEGL: Bool = false, hasSplitGPUs: Bool = false,
    driverCapabilities: String? = nil
  ) {
    self.renderNodes = renderNodes
    self.nvidiaNodes = nvidiaNodes
    self.vendorFiles = vendorFiles
    self.vendorOverride = vendorOverride
    self.hasNvidiaEGL = hasNvidiaEGL
    self.hasSplitGPUs = hasSplitGPUs
    self.driverCapabilities = driverCapabilities
  }

  /// Looks at this machine.
  init() {
    renderNodes = HostGraphics.renderNodes().map(HostGraphics.node)
    nvidiaNodes = HostGraphics.nvidiaNodes().map(HostGraphics.node)
    vendorOverride = getenv("__EGL_VENDOR_LIBRARY_FILENAMES").map { String(cString: $0) }
    vendorFiles = HostGraphics.vendorFiles(override: vendorOverride)
    let library = nvidiaNodes.isEmpty ? nil : dlopen("libEGL_nvidia.so.0", RTLD_LAZY)
    hasNvidiaEGL = library != nil
    if let library { dlclose(library) }
    let managed = nvidiaNodes.isEmpty ? [] : NVIDIAManagement()?.devices ?? []
    hasSplitGPUs = !managed.isEmpty && managed.allSatisfy(\.isSplit)
    driverCapabilities = getenv("NVIDIA_DRIVER_CAPABILITIES").map { String(cString: $0) }
  }

  static func renderNodes() -> [String] {
    files(in: "/dev/dri") { $0.hasPrefix("renderD") }
  }

  static func nvidiaNodes() -> [String] {
    files(in: "/dev") { name in
      name.hasPrefix("nvidia") && name.count > 6 && name.dropFirst(6).allSatisfy(\.isNumber)
    }
  }

  private static func node(_ path: String) -> Node {
    Node(path: path, isAccessible: access(path, R_OK | W_OK) == 0)
  }

  /// The files that libglvnd reads: those of its two folders, or those that a variable names.
  private static func vendorFiles(override: String?) -> [String] {
    if let override {
      return override.split(separator: ":").map(String.init).filter { access($0, R_OK) == 0 }
    }
    return ["/etc/glvnd/egl_vendor.d", "/usr/share/glvnd/egl_vendor.d"].flatMap { folder in
      files(in: folder) { $0.hasSuffix(".json") }
    }
  }

  /// The text of a small file that the system makes up, without the space around it.
  static func text(of path: String) -> String? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = fread(&bytes, 1, bytes.count, file)
    let words = String(decoding: bytes.prefix(count), as: UTF8.self)
      .split { $0.isWhitespace || $0.isNewline }
    return words.isEmpty ? nil : words.joined(separator: " ")
  }

  private static func files(in folder: String, where isWanted: (String) -> Bool) -> [String] {
    ((try? namesOfFiles(in: folder)) ?? []).filter(isWanted).map { "\(folder)/\($0)" }
  }
}
