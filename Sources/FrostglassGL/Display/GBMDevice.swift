internal import Glibc

/// A render node opened through libgbm.
///
/// The library is looked up when it is wanted, as a command that never meets a render node should
/// start without it.
final class GBMDevice {
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
