import FrostglassCore
import FrostglassCUDA
import Glibc
import TestSupport
import Testing

extension CUDATests {
  /// Drivers that are missing, old, refusing or full are errors with a remedy, and the context and the memory are given
  /// back.
  @Suite struct DriverTests {
    private func plan() throws -> Plan {
      try FilterChain(text: "blur(6px)").plan(for: Plan.Input(TestImages.noise(50, 40, .rgba8)))
    }

    /// Runs a body while the stub has a fault, and returns the error and the lines of its log.
    private func faulty(
      _ fault: String?, _ body: (CUDABackend) throws -> Void
    ) throws -> (error: BackendError?, log: [String]) {
      let log = "\(Files.root)/.build/cuda-stub/log.\(getpid())"
      let path = try StubDriver.path.get()
      unlink(log)
      setenv("STUB_CUDA_LOG", log, 1)
      if let fault { setenv("STUB_CUDA", fault, 1) }
      defer {
        unsetenv("STUB_CUDA")
        unsetenv("STUB_CUDA_LOG")
        unlink(log)
      }
      var found: BackendError?
      do { try body(try CUDABackend(library: path)) } catch let error as BackendError {
        found = error
      }
      let lines = Files.bytes(of: log).map { String(decoding: $0, as: UTF8.self) } ?? ""
      return (found, lines.split(separator: "\n").map { String($0) })
    }

    @Test func runsGoIntoTheStreamAndGiveEverythingBack() throws {
      let image = TestImages.noise(50, 40, .rgba8)
      let plan = try plan()
      let (error, log) = try faulty(nil) { backend in
        for _ in 0..<3 { _ = try StubDriver.result(of: plan, image, on: backend) }
      }
      #expect(error == nil)
      let kernels = log.filter { $0.hasPrefix("launch") }
      #expect(kernels.count == 3 * (try DevicePlan(plan).launches.count))
      #expect(kernels.allSatisfy { $0.hasPrefix("launch 7 ") })
      #expect(log.count { $0.hasPrefix("allocate 7") } == 3)
      #expect(log.count { $0.hasPrefix("free 7") } == 3)
      #expect(log.count { $0.hasPrefix("pop 0") } == 3)
      // Compiled once, in one context.
      #expect(log.count { $0.hasPrefix("load") } == 1)
      #expect(log.count { $0.hasPrefix("retain") } == 1)
    }

    @Test(arguments: [
      ("init", "the driver does not start: CUDA_ERROR_UNKNOWN"),
      ("no-device", "there is no CUDA device"),
      ("old", "the driver is for CUDA 11.1"),
      ("ptx", "the driver is too old for the kernels"),
      ("host-memory", "the input is not in a CUDA device's memory"),
      ("forked", "CUDA was started before this process was forked"),
      ("far", "input and output are on different devices"),
      ("memory", "the device has no "),
      ("launch", "starting shrink_straight_slot: CUDA_ERROR_LAUNCH_FAILED"),
    ])
    func faultsAreErrors(fault: String, reason: String) throws {
      let image = TestImages.noise(50, 40, .rgba8)
      let plan = try plan()
      let (error, log) = try faulty(fault) { backend in
        _ = try StubDriver.result(of: plan, image, on: backend)
      }
      #expect(error?.reason.hasPrefix(reason) == true, "\(error.debugDescription)")
      #expect(log.count { $0.hasPrefix("allocate") } == log.count { $0.hasPrefix("free") })
      #expect(log.last { $0.hasPrefix("pop") }.map { $0.hasPrefix("pop 0") } ?? true)
    }

    /// Memory of a context of its own is used there, and the device's shared context is not opened.
    @Test func memoryIsUsedInItsOwnContext() throws {
      let image = TestImages.noise(50, 40, .rgba8)
      let plan = try plan()
      let (error, log) = try faulty("own-context") { backend in
        _ = try StubDriver.result(of: plan, image, on: backend)
      }
      #expect(error == nil)
      #expect(log.contains { $0.hasPrefix("launch") })
      #expect(!log.contains { $0.hasPrefix("retain") })
    }

    @Test func aMissingDriverIsUnavailable() throws {
      let error = #expect(throws: BackendError.self) {
        try CUDABackend(library: "/nowhere/libcuda.so.1")
      }
      #expect(error?.reason == "/nowhere/libcuda.so.1 cannot be opened")
      #expect(error?.isOfBackend == true)
    }

    /// The C library is no driver: what it lacks is named.
    @Test func anotherLibraryIsTooOld() throws {
      let error = #expect(throws: BackendError.self) { try CUDABackend(library: "libc.so.6") }
      #expect(error?.reason == "libc.so.6 has no cuInit")
    }
  }
}
