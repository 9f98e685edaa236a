internal import Glibc

extension HostGraphics {
  /// The GPUs and drivers of this machine, as far as files tell: another GPU or driver gives another
  /// text. No driver is started, nothing is loaded.
  package static var fingerprint: String {
    let override = getenv("__EGL_VENDOR_LIBRARY_FILENAMES").map { String(cString: $0) }
    var lines = renderNodes().map { node in
      let device = "/sys/class/drm/\(node.split(separator: "/").last ?? "")/device"
      let numbers = ["vendor", "device", "subsystem_device"].map { file in
        text(of: "\(device)/\(file)") ?? "-"
      }
      return "\(node) \(numbers.joined(separator: " "))"
    }
    lines += nvidiaNodes()
    lines += ["/sys/module/nvidia/version", "/proc/sys/kernel/osrelease"].map { path in
      "\(path) \(text(of: path) ?? "-")"
    }
    // A driver's package brings its description anew.
    lines += vendorFiles(override: override).map { path in
      var status = stat()
      guard stat(path, &status) == 0 else { return path }
      return "\(path) \(status.st_size) \(status.st_mtim.tv_sec)"
    }
    return lines.joined(separator: "\n")
  }
}
