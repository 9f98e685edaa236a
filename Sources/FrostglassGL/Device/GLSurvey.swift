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

  /// True if the machine has the device file of a GPU. Initializes nothing.
  ///
  /// Without one there is no hardware to find, and starting EGL would be time lost.
  package static var hasGPUDeviceNode: Bool {
    // Mesa's GPUs, NVIDIA's; WSL's, Arm's and Qualcomm's own drivers.
    let others: [String] = ["/dev/dxg", "/dev/mali0", "/dev/kgsl-3d0"]
    return !HostGraphics.renderNodes().isEmpty || !HostGraphics.nvidiaNodes().isEmpty
      || others.contains { path in access(path, F_OK) == 0 }
  }
}

/// The outcome of asking one platform for a context.
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
  /// Returns advice, the most likely first; empty if hardware works.
  package static func remedies(
    for displays: [DisplayReport], on host: HostGraphics
  ) -> [String] {
    let devices = displays.compactMap(\.device)
    guard devices.allSatisfy(\.isSoftware) else { return [] }
    var remedies: [String] = []
    if host.hasSplitGPUs {
      remedies.append(
        "the NVIDIA GPU is split into instances (MIG), which have no graphics: use a whole GPU, or the "
          + "CPU backends")
    }
    if host.vendorFiles.isEmpty { remedies.append(missingDriver(host)) }
    if let node = (host.renderNodes + host.nvidiaNodes).first(where: { !$0.isAccessible }) {
      remedies.append(
        "\(node.path) may not be opened: add the user to the group that owns it "
          + "(usually `render` or `video`), or pass the device into the container")
    }
    if !host.nvidiaNodes.isEmpty, !host.hasNvidiaEGL {
      let given = host.driverCapabilities.map { ", which is \"\($0)\"," } ?? ""
      remedies.append(
        "an NVIDIA device is present but libEGL_nvidia.so.0 is not: in a container set "
          + "NVIDIA_DRIVER_CAPABILITIES\(given) to include graphics; elsewhere install the driver's "
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

/// The devices of a machine: each once, however many displays lead to it; hardware first.
package struct DeviceList: Sendable, Hashable {
  /// In order of their numbers.
  package var devices: [ListedDevice]

  /// Finds out which displays lead to the same device.
  ///
  /// - Parameter displays: in order of preference.
  package init(_ displays: [DisplayReport]) {
    var found: [ListedDevice] = []
    for report in displays {
      guard let device = report.device else { continue }
      if let index = found.firstIndex(where: { $0.isSame(as: device) }) {
        found[index].displays.append(report.platform)
        found[index].device.renderNode = found[index].device.renderNode ?? device.renderNode
      } else {
        found.append(ListedDevice(number: 0, device: device, displays: [report.platform]))
      }
    }
    devices = found.filter { !$0.device.isSoftware } + found.filter { $0.device.isSoftware }
    for index in devices.indices { devices[index].number = index }
  }

  /// The device that a number or a part of a name stands for; upper and lower case are alike.
  ///
  /// - Throws: `BackendError.unavailable` with the list, where none or several are meant.
  package func device(_ text: String) throws(BackendError) -> ListedDevice {
    let matches = matches(text)
    guard let match = matches.first, matches.count == 1 else {
      throw refusal(
        matches.isEmpty
          ? "no device here is \"\(text)\"" : "\"\(text)\" stands for \(matches.count) devices")
    }
    return match
  }

  /// The devices that a text stands for: one, several separated by commas, or `all`, which leaves
  /// out software renderers where there is hardware.
  ///
  /// - Returns: at least one; each once, in the order given.
  /// - Throws: `BackendError.unavailable` with the list.
  package func devices(_ text: String) throws(BackendError) -> [ListedDevice] {
    if text.lowercased() == "all" {
      let hardware = devices.filter { !$0.device.isSoftware }
      let all = hardware.isEmpty ? devices : hardware
      guard !all.isEmpty else { throw refusal("there is no device") }
      return all
    }
    // Names may have commas too.
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count > 1, matches(text).isEmpty else { return [try device(text)] }
    var chosen: [ListedDevice] = []
    for part in parts {
      let device = try device(part.split(separator: " ").joined(separator: " "))
      if !chosen.contains(device) { chosen.append(device) }
    }
    return chosen
  }

  private func matches(_ text: String) -> [ListedDevice] {
    if let number = Int(text) { return devices.filter { $0.number == number } }
    let part = text.lowercased()
    guard !part.isEmpty else { return [] }
    return devices.filter { $0.names.contains { $0.lowercased().contains(part) } }
  }

  private func refusal(_ reason: String) -> BackendError {
    let list = devices.map { device in
      let node = device.device.renderNode.map { " at \($0)" } ?? ""
      return "\(device)\(node)"
    }
    return .unavailable(
      backend: "gl", reason: reason,
      remedy: list.isEmpty
        ? "`frostglass doctor` says why there are none"
        : "give the number or a part of the name of one of these: "
          + list.joined(separator: "; "))
  }
}

/// A GPU, or the CPU that plays one, with every display that leads to it.
package struct ListedDevice: Sendable, Hashable, CustomStringConvertible {
  /// Its place in the list, from 0.
  package var number: Int
  /// The device as described on the first of its displays.
  package var device: GLDevice
  /// The ways to it, best first; at least one.
  package var displays: [DisplayPlatform]

  /// The number and the renderer.
  package var description: String { "\(number): \(device.capabilities.renderer)" }

  /// The names that the device can be selected by, in whole or in part.
  var names: [String] {
    [device.capabilities.renderer, device.driver, device.renderNode].compactMap { $0 }
  }
}

extension ListedDevice {
  /// Returns true if another display leads to this device.
  ///
  /// Render nodes decide if both are known. Otherwise the renderer's name does; but a machine may have several devices
  /// of one name, and each has a display of its own of each kind.
  fileprivate func isSame(as other: GLDevice) -> Bool {
    guard device.isSoftware == other.isSoftware else { return false }
    let isAlike = device.capabilities.renderer == other.capabilities.renderer
    // There is only one CPU.
    if other.isSoftware { return isAlike }
    if let own = device.renderNode, let node = other.renderNode { return own == node }
    switch other.platform {
    case .surfaceless: return isAlike
    case .device:
      return isAlike && !displays.contains { if case .device = $0 { true } else { false } }
    case .gbm: return isAlike && !displays.contains { if case .gbm = $0 { true } else { false } }
    }
  }
}

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

/// NVIDIA's GPUs as the driver's management library (NVML) knows them.
package struct NVIDIAManagement: Sendable, Hashable {
  /// A GPU.
  package struct Device: Sendable, Hashable {
    /// Bytes of memory, and those that nobody used when the device was asked.
    package var total: Int
    package var free: Int
    /// True if the GPU is split into instances (MIG), which have no graphics.
    package var isSplit: Bool
  }

  private typealias Call = @convention(c) () -> Int32
  private typealias Count = @convention(c) (UnsafeMutablePointer<UInt32>) -> Int32
  private typealias Handle = @convention(c) (UInt32, UnsafeMutablePointer<OpaquePointer?>) -> Int32
  private typealias Info = @convention(c) (OpaquePointer?, UnsafeMutablePointer<UInt64>) -> Int32
  private typealias Mode =
    @convention(c) (OpaquePointer?, UnsafeMutablePointer<UInt32>, UnsafeMutablePointer<UInt32>) ->
    Int32

  /// The GPUs that can be asked.
  package private(set) var devices: [Device] = []

  /// Asks all GPUs.
  ///
  /// - Returns: `nil` where there is no such library, or it does not work.
  package init?(_ library: String = "libnvidia-ml.so.1") {
    guard let opened = dlopen(library, RTLD_LAZY) else { return nil }
    defer { dlclose(opened) }
    func function<Type>(_ name: String, as _: Type.Type) -> Type? {
      dlsym(opened, name).map { unsafeBitCast($0, to: Type.self) }
    }
    guard let begin = function("nvmlInit_v2", as: Call.self),
      let end = function("nvmlShutdown", as: Call.self),
      let count = function("nvmlDeviceGetCount_v2", as: Count.self),
      let handle = function("nvmlDeviceGetHandleByIndex_v2", as: Handle.self),
      let info = function("nvmlDeviceGetMemoryInfo", as: Info.self), begin() == 0
    else { return nil }
    defer { _ = end() }
    let mode = function("nvmlDeviceGetMigMode", as: Mode.self)
    var number: UInt32 = 0
    guard count(&number) == 0 else { return nil }
    for index in 0..<number {
      var device: OpaquePointer?
      // In all, free, used.
      var bytes: [UInt64] = [0, 0, 0]
      guard handle(index, &device) == 0, info(device, &bytes) == 0 else { continue }
      var (now, pending): (UInt32, UInt32) = (0, 0)
      // Most GPUs cannot be split, and say so by an error.
      let isSplit = mode.map { $0(device, &now, &pending) == 0 && now == 1 } ?? false
      devices.append(
        Device(total: Int(clamping: bytes[0]), free: Int(clamping: bytes[1]), isSplit: isSplit))
    }
  }
}
