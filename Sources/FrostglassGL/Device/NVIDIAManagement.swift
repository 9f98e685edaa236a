internal import Glibc

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
