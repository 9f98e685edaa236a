internal import CCUDA
package import FrostglassCore

/// An image in the memory of a CUDA device.
package struct DeviceImage: Sendable {
  /// The device address of the first row.
  package var address: UInt64
  /// Bytes from row to row.
  package var pitch: Int

  package init(address: UInt64, pitch: Int) {
    self.address = address
    self.pitch = pitch
  }
}

/// NVIDIA's driver, which runs the kernels on images that are on a device already.
///
/// Nothing is copied and nobody waits: a run is over for the caller when its kernels are in the stream. Contexts are
/// those of the images, or of their device; the kernels are compiled by the driver once in each.
package final class CUDABackend: Sendable {
  /// The name in messages.
  package static let name = "cuda"

  /// The driver of this machine, opened by the first call that succeeds.
  package static func shared() throws(BackendError) -> CUDABackend {
    if let made = made.change({ $0 }) { return made }
    // Not under the lock: a process that is forked meanwhile would wait for it for ever.
    let backend = try CUDABackend(library: "libcuda.so.1")
    return made.change { made in
      let first = made ?? backend
      made = first
      return first
    }
  }

  private static let made = Monitor<CUDABackend?>(nil)

  private let library: CCUDALibrary
  /// The module's functions by context and name.
  private let modules = Monitor<[UInt: [String: UInt]]>([:])
  /// The contexts of devices, which stay retained.
  private let contexts = Monitor<[Int32: UInt]>([:])

  /// Versions of the driver with memory that is allocated in a stream.
  private static let oldest = (major: 11, minor: 8)

  /// - Parameter path: of libcuda.so.1, or its name.
  /// - Throws: `BackendError.unavailable`.
  package init(library path: String) throws(BackendError) {
    var library = CCUDALibrary()
    if let missing = CCUDAOpen(path, &library).map({ String(cString: $0) }) {
      throw missing == path
        ? .unavailable(
          backend: Self.name, reason: "\(path) cannot be opened",
          remedy: "install NVIDIA's driver, or give containers the GPU")
        : Self.old("\(path) has no \(missing)")
    }
    self.library = library
    switch library.`init`(0) {
    case 0: break
    case CCUDAResult(CCUDANoDevice):
      throw .unavailable(
        backend: Self.name, reason: "there is no CUDA device",
        remedy: "check nvidia-smi and CUDA_VISIBLE_DEVICES")
    case let result:
      throw .unavailable(
        backend: Self.name, reason: "the driver does not start: \(Self.name(of: result, library))",
        remedy: "check nvidia-smi; forked processes cannot use a GPU their parent used")
    }
    var version: Int32 = 0
    guard library.driverVersion(&version) == 0,
      version >= 1000 * Self.oldest.major + 10 * Self.oldest.minor
    else { throw Self.old("the driver is for CUDA \(version / 1000).\(version % 1000 / 10)") }
  }

  private static func old(_ reason: String) -> BackendError {
    .unavailable(
      backend: name, reason: reason,
      remedy: "install a driver for CUDA \(oldest.major).\(oldest.minor) or newer")
  }

  private static func name(of result: CCUDAResult, _ library: CCUDALibrary) -> String {
    var name: UnsafePointer<CChar>?
    guard library.errorName(result, &name) == 0, let name else { return "error \(result)" }
    return String(cString: name)
  }

  private func check(_ result: CCUDAResult, _ what: String) throws(BackendError) {
    guard result != 0 else { return }
    throw .broken(backend: Self.name, what: "\(what): \(Self.name(of: result, library))")
  }

  /// Puts a plan's kernels into a stream.
  ///
  /// - Parameters:
  ///   - input: of the plan's size and format. RGBA begins at a multiple of 4 bytes, as do its rows.
  ///   - output: the same of the result, which must not overlap the input.
  ///   - stream: a stream of the images' context; 0 is the default one.
  /// - Throws: `BackendError`; kernels may have been launched.
  package func run(
    _ plan: DevicePlan, from input: DeviceImage, to output: DeviceImage, stream: UInt
  ) throws(BackendError) {
    let device = try self.device(of: input, "input")
    guard try self.device(of: output, "output") == device else {
      throw .failed(backend: Self.name, what: "input and output are on different devices")
    }
    let context = try context(of: input, on: device)
    try check(
      library.pushContext(UnsafeMutableRawPointer(bitPattern: context)), "entering the context")
    defer {
      var popped: UnsafeMutableRawPointer?
      _ = library.popContext(&popped)
    }
    let functions = try functions(in: context)
    let stream = UnsafeMutableRawPointer(bitPattern: stream)
    var between: UInt64 = 0
    if plan.memory > 0 {
      let result = library.allocate(&between, plan.memory, stream)
      guard result != CCUDAResult(CCUDAOutOfMemory) else {
        throw .broken(
          backend: Self.name, what: "the device has no \(ByteCount(plan.memory)) of memory left")
      }
      try check(result, "allocating memory")
    }
    // Freed in the stream's order, after the kernels.
    defer { if plan.memory > 0 { _ = library.free(between, stream) } }
    for launch in plan.launches {
      var pass = launch.pass
      var source = launch.source.map { between + UInt64($0) } ?? input.address
      var target = launch.target.map { between + UInt64($0) } ?? output.address
      if launch.source == nil { pass.sourcePitch = Int64(input.pitch) }
      if launch.target == nil { pass.targetPitch = Int64(output.pitch) }
      let function = functions[launch.kernel].flatMap { UnsafeMutableRawPointer(bitPattern: $0) }
      let result = withUnsafeMutablePointer(to: &source) { source in
        withUnsafeMutablePointer(to: &target) { target in
          withUnsafeMutablePointer(to: &pass) { pass in
            var parameters: [UnsafeMutableRawPointer?] = [
              .init(source), .init(target), .init(pass),
            ]
            return library.launch(
              function, UInt32(launch.grid.x), UInt32(launch.grid.y), 1, UInt32(DevicePlan.block.x),
              UInt32(DevicePlan.block.y), 1, 0, stream, &parameters, nil)
          }
        }
      }
      try check(result, "starting \(launch.kernel)")
    }
  }

  /// Returns the number of the device that an image is on.
  private func device(of image: DeviceImage, _ name: String) throws(BackendError) -> Int32 {
    var type: UInt32 = 0
    let result = library.pointerAttribute(&type, Int32(CCUDAPointerMemoryType), image.address)
    guard result != CCUDAResult(CCUDANotInitialized) else {
      throw .unavailable(
        backend: Self.name, reason: "CUDA was started before this process was forked",
        remedy: "spawn processes that use a GPU")
    }
    guard result == 0, type == CCUDADeviceMemory else {
      throw .failed(
        backend: Self.name, what: "the \(name) is not in a CUDA device's memory")
    }
    var device: Int32 = 0
    try check(
      library.pointerAttribute(&device, Int32(CCUDAPointerDevice), image.address),
      "finding the \(name)'s device")
    return device
  }

  /// Returns the context of an image; where its memory has none, that which programs on its device share.
  private func context(of image: DeviceImage, on device: Int32) throws(BackendError) -> UInt {
    var own: UnsafeMutableRawPointer?
    if library.pointerAttribute(&own, Int32(CCUDAPointerContext), image.address) == 0, let own {
      return UInt(bitPattern: own)
    }
    return try contexts.make { known throws(BackendError) in
      if let known = known[device] { return known }
      var handle: Int32 = 0
      var retained: UnsafeMutableRawPointer?
      try check(library.deviceGet(&handle, device), "finding device \(device)")
      try check(library.primaryContext(&retained, handle), "opening device \(device)")
      let context = UInt(bitPattern: retained)
      known[device] = context
      return context
    }
  }

  /// Returns the kernels, compiled by the driver in the current context.
  private func functions(in context: UInt) throws(BackendError) -> [String: UInt] {
    try modules.make { known throws(BackendError) in
      if let known = known[context] { return known }
      var module: UnsafeMutableRawPointer?
      let result = library.loadModule(&module, CCUDAKernels())
      switch result {
      case CCUDAResult(CCUDANoBinary), CCUDAResult(CCUDABadPTX):
        throw .unavailable(
          backend: Self.name, reason: "the driver does not compile the kernels",
          remedy: "use a GPU of compute capability 7.0 or newer")
      case CCUDAResult(CCUDAUnsupportedPTX): throw Self.old("the driver is too old for the kernels")
      default: try check(result, "compiling the kernels")
      }
      var functions: [String: UInt] = [:]
      for name in DevicePlan.kernels {
        var function: UnsafeMutableRawPointer?
        try check(library.moduleFunction(&function, module, name), "finding \(name)")
        functions[name] = UInt(bitPattern: function)
      }
      known[context] = functions
      return functions
    }
  }
}

extension Monitor {
  /// Changes the value, as `change` with errors of backends alone.
  fileprivate func make<Value>(
    _ body: (inout State) throws(BackendError) -> Value
  ) throws(BackendError) -> Value {
    let made: Result<Value, BackendError> = change { state in
      do throws(BackendError) { return .success(try body(&state)) } catch { return .failure(error) }
    }
    return try made.get()
  }
}
