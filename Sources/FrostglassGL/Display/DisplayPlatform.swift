/// A way of reaching a GPU without a window.
public enum DisplayPlatform: Sendable, Hashable, CustomStringConvertible {
  /// One of the devices EGL lists (`EGL_EXT_platform_device`).
  case device(Int)
  /// A render node, through Mesa's buffer manager (`EGL_KHR_platform_gbm`).
  case gbm(String)
  /// Mesa's choice of device (`EGL_MESA_platform_surfaceless`).
  case surfaceless

  public var description: String {
    switch self {
    case .device(let index): "EGL device \(index)"
    case .gbm(let node): "GBM \(node)"
    case .surfaceless: "surfaceless"
    }
  }
}
