internal import CGLES

/// What EGL offers before any display is opened: its platforms and devices.
struct EGLClient {
  /// A device of `EGL_EXT_device_enumeration`.
  struct Device {
    var handle: EGLDeviceEXT
    /// The render node's path, where the driver tells.
    var renderNode: String?
  }

  let extensions: Set<String>
  /// Empty where devices cannot be listed or there is none.
  let devices: [Device]

  init() {
    extensions = EGLClient.words(eglQueryString(nil, EGL_EXTENSIONS))
    devices = EGLClient.listDevices()
  }

  /// Every way to a display that is worth asking, best first.
  func platforms(renderNodes: [String]) -> [DisplayPlatform] {
    let listed = devices.indices.map { DisplayPlatform.device($0) }
    return listed + renderNodes.map { .gbm($0) } + [.surfaceless]
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
      handle.map { Device(handle: $0, renderNode: renderNode(of: $0)) }
    }
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
