internal import CGLES
internal import FrostglassCore
internal import Glibc

/// An initialized EGL display.
///
/// Displays of one platform are one handle in the whole process, and terminating it would end the
/// contexts of every other backend on it: so it never is. A GBM display is the exception, as it
/// belongs to the render node that was opened for it alone.
final class GLDisplay {
  let platform: DisplayPlatform
  let handle: EGLDisplay
  let version: String
  let vendor: String
  let extensions: Set<String>
  private let gbm: GBMDevice?

  init(_ platform: DisplayPlatform, client: EGLClient) throws(EGLFailure) {
    var gbm: GBMDevice?
    let handle: EGLDisplay
    if let library = CGLESMissing() {
      throw EGLFailure(step: "\(String(cString: library)) cannot be loaded")
    }
    switch platform {
    case .device(let index):
      guard client.devices.indices.contains(index) else {
        throw EGLFailure(step: "EGL lists \(client.devices.count) devices")
      }
      handle = try GLDisplay.open(EGL_PLATFORM_DEVICE_EXT, client.devices[index].handle)
    case .gbm(let node):
      let device = try GBMDevice(node: node)
      gbm = device
      handle = try GLDisplay.open(EGL_PLATFORM_GBM_KHR, UnsafeMutableRawPointer(device.handle))
    case .surfaceless:
      handle = try GLDisplay.open(EGL_PLATFORM_SURFACELESS_MESA, nil)
    }
    var major: EGLint = 0
    var minor: EGLint = 0
    try EGLFailure.check("eglInitialize") { () -> Void? in
      eglInitialize(handle, &major, &minor) == EGL_TRUE ? () : nil
    }
    self.platform = platform
    self.handle = handle
    self.gbm = gbm
    self.version = "\(major).\(minor)"
    self.vendor = eglQueryString(handle, EGL_VENDOR).map { String(cString: $0) } ?? ""
    self.extensions = EGLClient.words(eglQueryString(handle, EGL_EXTENSIONS))
  }

  deinit {
    if gbm != nil { eglTerminate(handle) }
  }

  /// The driver's short name where EGL tells (`EGL_MESA_query_driver`).
  var driverName: String? {
    typealias Query = @convention(c) (EGLDisplay?) -> UnsafePointer<CChar>?
    guard extensions.contains("EGL_MESA_query_driver"),
      let query = EGLClient.function("eglGetDisplayDriverName", as: Query.self)
    else { return nil }
    return query(handle).map { String(cString: $0) }
  }

  private static func open(
    _ platform: EGLint, _ native: UnsafeMutableRawPointer?
  ) throws(EGLFailure) -> EGLDisplay {
    try EGLFailure.check("eglGetPlatformDisplay") {
      CGLESPlatformDisplay(CGLESNewest, EGLenum(platform), native)
    }
  }
}

/// A way of reaching a GPU without a window.
public enum DisplayPlatform: Sendable, Hashable, CustomStringConvertible {
  /// One of the devices EGL lists (`EGL_EXT_platform_device`).
  case device(Int)
  /// A render node, through Mesa's buffer manager (`EGL_KHR_platform_gbm`).
  case gbm(String)
  /// Mesa's choice of device (`EGL_MESA_platform_surfaceless`).
  case surfaceless

  /// The platform in words.
  public var description: String {
    switch self {
    case .device(let index): "EGL device \(index)"
    case .gbm(let node): "GBM \(node)"
    case .surfaceless: "surfaceless"
    }
  }
}

/// A render node opened through libgbm.
///
/// The library is looked up when it is wanted, as a command that never meets a render node should
/// start without it.
private final class GBMDevice {
  private typealias Create = @convention(c) (Int32) -> OpaquePointer?
  private typealias Destroy = @convention(c) (OpaquePointer?) -> Void

  let handle: OpaquePointer
  private let file: Int32
  private let destroy: Destroy

  init(node: String) throws(EGLFailure) {
    guard let library = dlopen("libgbm.so.1", RTLD_NOW),
      let create = dlsym(library, "gbm_create_device"),
      let destroy = dlsym(library, "gbm_device_destroy")
    else { throw EGLFailure(step: "libgbm.so.1 cannot be loaded") }
    errno = 0
    let file = open(node, O_RDWR | O_CLOEXEC)
    guard file >= 0 else { throw EGLFailure(step: "open \(node)", systemError: errno) }
    guard let handle = unsafeBitCast(create, to: Create.self)(file) else {
      let reason = errno
      close(file)
      throw EGLFailure(step: "gbm_create_device", systemError: reason == 0 ? nil : reason)
    }
    self.handle = handle
    self.file = file
    self.destroy = unsafeBitCast(destroy, to: Destroy.self)
  }

  deinit {
    destroy(handle)
    close(file)
  }
}

/// Finds the display to work on.
struct DisplaySearch {
  /// No display could be had; why, for each that was tried.
  struct Failure: Error {
    var attempts: [DisplayReport]
    /// The error in the choice of a device, if the displays are not the cause.
    var refusal: BackendError?

    /// Why, for each display.
    var words: String {
      attempts.compactMap { report in report.failure.map { "\(report.platform): \($0)" } }
        .joined(separator: "; ")
    }

    var backendError: BackendError {
      if let refusal { return refusal }
      let host = HostGraphics()
      return .unavailable(
        backend: "gl", reason: words,
        remedy: GLAdvice.remedies(for: attempts, on: host).joined(separator: "; "))
    }
  }

  /// A context with what is known of it.
  struct Found {
    var context: GLContext
    var device: GLDevice
  }

  private let client = EGLClient()
  /// The setup of new contexts.
  var setup = ContextSetup()

  /// Every platform and device, best first.
  private var platforms: [DisplayPlatform] {
    client.platforms(
      renderNodes: HostGraphics.renderNodes(),
      visible: getenv("CUDA_VISIBLE_DEVICES").map { String(cString: $0) })
  }

  /// Hardware before software across all platforms, then the order of `platforms`.
  ///
  /// Mesa lists its software renderer as an EGL device too, so the first display that works is
  /// not the answer. Where there is no GPU at all, it is.
  func best(_ wanted: GLOptions.Device) throws(Failure) -> Found {
    var platforms = self.platforms
    var isHardwarePossible = GLSurvey.hasGPUDeviceNode
    switch wanted {
    case .automatic: break
    case .only(let platform):
      platforms = [platform]
      isHardwarePossible = false
    case .named(let text):
      platforms = try displays(of: text)
      isHardwarePossible = false
    }
    var fallback: DisplayPlatform?
    var attempts: [DisplayReport] = []
    for platform in platforms {
      do throws(EGLFailure) {
        let found = try open(platform)
        if !found.device.isSoftware || !isHardwarePossible { return found }
        fallback = fallback ?? platform
      } catch {
        attempts.append(DisplayReport(platform: platform, outcome: .failure(error)))
      }
    }
    if let fallback, let found = try? open(fallback) { return found }
    throw Failure(attempts: attempts)
  }

  /// The displays of the device that a text stands for.
  private func displays(of text: String) throws(Failure) -> [DisplayPlatform] {
    let attempts = survey()
    let list = DeviceList(attempts)
    guard !list.devices.isEmpty else { throw Failure(attempts: attempts) }
    return try mapped(
      { (error: BackendError) in Failure(attempts: attempts, refusal: error) },
      list.device(text).displays)
  }

  /// Opens each platform in turn and lets go of it.
  func survey() -> [DisplayReport] {
    platforms.map { platform in
      DisplayReport(
        platform: platform,
        outcome: Result { () throws(EGLFailure) in try open(platform).device })
    }
  }

  private func open(_ platform: DisplayPlatform) throws(EGLFailure) -> Found {
    let context = try GLContext(on: try GLDisplay(platform, client: client), setup)
    let node: String? =
      switch platform {
      case .device(let index): client.devices[index].renderNode
      case .gbm(let node): node
      case .surfaceless: nil
      }
    return Found(context: context, device: GLDevice(context, renderNode: node))
  }
}

/// The EGL client before any display is opened: its platforms and devices.
package struct EGLClient {
  /// A device of `EGL_EXT_device_enumeration`.
  struct Device {
    var handle: EGLDeviceEXT
    /// The render node's path, where the driver tells.
    var renderNode: String?
    /// The number that CUDA has for it, among those that CUDA may see (`EGL_NV_device_cuda`).
    var cudaNumber: Int?
  }

  private let extensions: Set<String>
  /// Empty where devices cannot be listed or there is none.
  let devices: [Device]

  init() {
    extensions = EGLClient.words(eglQueryString(nil, EGL_EXTENSIONS))
    devices = EGLClient.listDevices()
  }

  /// Every way to a display that is worth asking, best first.
  ///
  /// - Parameter visible: `CUDA_VISIBLE_DEVICES`, as schedulers set it that share GPUs among processes.
  func platforms(renderNodes: [String], visible: String?) -> [DisplayPlatform] {
    let listed = EGLClient.order(cudaNumbers: devices.map(\.cudaNumber), visible: visible)
    return listed.map { .device($0) } + renderNodes.map { .gbm($0) } + [.surfaceless]
  }

  /// The order in which devices are asked: EGL's, and where CUDA may see some alone, those first, in CUDA's order.
  package static func order(cudaNumbers: [Int?], visible: String?) -> [Int] {
    let all = Array(cudaNumbers.indices)
    guard let visible, !visible.isEmpty else { return all }
    let seen = all.filter { cudaNumbers[$0] != nil }
      .sorted { (cudaNumbers[$0] ?? 0, $0) < (cudaNumbers[$1] ?? 0, $1) }
    return seen + all.filter { cudaNumbers[$0] == nil }
  }

  private static func listDevices() -> [Device] {
    typealias QueryDevices =
      @convention(c) (
        EGLint, UnsafeMutablePointer<EGLDeviceEXT?>?, UnsafeMutablePointer<EGLint>?
      ) -> EGLBoolean
    guard let query = function("eglQueryDevicesEXT", as: QueryDevices.self) else { return [] }
    var count: EGLint = 0
    guard query(0, nil, &count) == EGL_TRUE, count > 0 else { return [] }
    var handles = [EGLDeviceEXT?](repeating: nil, count: Int(count))
    guard query(count, &handles, &count) == EGL_TRUE else { return [] }
    return handles.prefix(Int(count)).compactMap { handle in
      handle.map {
        Device(handle: $0, renderNode: renderNode(of: $0), cudaNumber: cudaNumber(of: $0))
      }
    }
  }

  private static func cudaNumber(of device: EGLDeviceEXT) -> Int? {
    typealias QueryString = @convention(c) (EGLDeviceEXT?, EGLint) -> UnsafePointer<CChar>?
    typealias QueryAttribute =
      @convention(c) (EGLDeviceEXT?, EGLint, UnsafeMutablePointer<EGLAttrib>?) -> EGLBoolean
    guard let words = function("eglQueryDeviceStringEXT", as: QueryString.self),
      self.words(words(device, EGL_EXTENSIONS)).contains("EGL_NV_device_cuda"),
      let query = function("eglQueryDeviceAttribEXT", as: QueryAttribute.self)
    else { return nil }
    var number: EGLAttrib = -1
    guard query(device, EGL_CUDA_DEVICE_NV, &number) == EGL_TRUE, number >= 0 else { return nil }
    return number
  }

  private static func renderNode(of device: EGLDeviceEXT) -> String? {
    typealias QueryString = @convention(c) (EGLDeviceEXT?, EGLint) -> UnsafePointer<CChar>?
    guard let query = function("eglQueryDeviceStringEXT", as: QueryString.self) else { return nil }
    let extensions = words(query(device, EGL_EXTENSIONS))
    if extensions.contains("EGL_EXT_device_drm_render_node") {
      return query(device, EGL_DRM_RENDER_NODE_FILE_EXT).map { String(cString: $0) }
    }
    guard extensions.contains("EGL_EXT_device_drm"),
      let path = query(device, EGL_DRM_DEVICE_FILE_EXT)
    else { return nil }
    return String(cString: path)
  }

  /// An extension's function by its name.
  ///
  /// - Parameter type: its C function type; nothing checks that it is the right one.
  static func function<Function>(_ name: String, as type: Function.Type) -> Function? {
    eglGetProcAddress(name).map { unsafeBitCast($0, to: type) }
  }

  /// The words of an extension list.
  static func words(_ list: UnsafePointer<CChar>?) -> Set<String> {
    guard let list else { return [] }
    return Set(String(cString: list).split(separator: " ").map(String.init))
  }
}

/// Why a display or a context could not be had.
package struct EGLFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The call that failed, or what was looked for.
  package var step: String
  /// The error that EGL reported, such as `EGL_NOT_INITIALIZED`; `nil` if EGL was not called.
  package var eglError: String?
  /// The system's error number, such as 13 for "permission denied"; `nil` if it reported none.
  package var systemError: Int32?

  package init(step: String, eglError: String? = nil, systemError: Int32? = nil) {
    self.step = step
    self.eglError = eglError
    self.systemError = systemError
  }

  package var description: String {
    var parts = [step]
    if let eglError { parts.append(eglError) }
    if let systemError { parts.append(systemWords(systemError)) }
    return parts.joined(separator: ": ")
  }

  /// Runs a call of EGL and describes its failure, which `body` reports by `nil`.
  static func check<Value>(
    _ step: String, _ body: () -> Value?
  ) throws(EGLFailure) -> Value {
    errno = 0
    if let value = body() { return value }
    let system = errno
    throw EGLFailure(
      step: step, eglError: name(of: eglGetError()), systemError: system == 0 ? nil : system)
  }

  /// The name of an EGL error code.
  static func name(of code: EGLint) -> String {
    switch code {
    case EGL_SUCCESS: "EGL_SUCCESS"
    case EGL_NOT_INITIALIZED: "EGL_NOT_INITIALIZED"
    case EGL_BAD_ACCESS: "EGL_BAD_ACCESS"
    case EGL_BAD_ALLOC: "EGL_BAD_ALLOC"
    case EGL_BAD_ATTRIBUTE: "EGL_BAD_ATTRIBUTE"
    case EGL_BAD_CONFIG: "EGL_BAD_CONFIG"
    case EGL_BAD_CONTEXT: "EGL_BAD_CONTEXT"
    case EGL_BAD_CURRENT_SURFACE: "EGL_BAD_CURRENT_SURFACE"
    case EGL_BAD_DISPLAY: "EGL_BAD_DISPLAY"
    case EGL_BAD_MATCH: "EGL_BAD_MATCH"
    case EGL_BAD_NATIVE_PIXMAP: "EGL_BAD_NATIVE_PIXMAP"
    case EGL_BAD_NATIVE_WINDOW: "EGL_BAD_NATIVE_WINDOW"
    case EGL_BAD_PARAMETER: "EGL_BAD_PARAMETER"
    case EGL_BAD_SURFACE: "EGL_BAD_SURFACE"
    case EGL_CONTEXT_LOST: "EGL_CONTEXT_LOST"
    default: "EGL error \(code)"
    }
  }
}
