internal import CGLES
internal import FrostglassCore
internal import Glibc

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
