import FrostglassCore
import FrostglassCUDA
import Glibc
import TestSupport
import Testing

/// Tests on the stub, one after the other: its faults are the process's.
@Suite(.serialized) enum CUDATests {}

/// A driver without a device, which runs the kernels' text as C++ on memory of this process.
enum StubDriver {
  /// The stub as a shared library, compiled once.
  static let path = Result { () throws -> String in
    let folder = "\(Files.root)/.build/cuda-stub"
    mkdir("\(Files.root)/.build", 0o777)
    mkdir(folder, 0o777)
    let made = "\(folder)/libcuda.\(getpid()).so"
    let command = [
      "clang++", "-std=c++17", "-O2", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-Wall",
      "-Wextra", "-Werror",
      "-I", "\(Files.root)/Sources/CShims/CCUDA/include",
      "\(Files.root)/Tests/Programs/CUDA/cuda.cpp", "-o", made,
    ]
    var child = pid_t()
    var arguments = command.map { strdup($0) } + [nil]
    defer { arguments.forEach { free($0) } }
    guard posix_spawnp(&child, command[0], nil, nil, &arguments, environ) == 0 else {
      throw Missing(what: "clang++")
    }
    var status: Int32 = 0
    waitpid(child, &status, 0)
    guard status == 0 else { throw Missing(what: "the stub, which does not compile") }
    return made
  }

  /// What the tests need.
  struct Missing: Error { let what: String }

  /// The backend on the stub.
  static func backend() throws -> CUDABackend { try CUDABackend(library: path.get()) }

  /// Returns the result of a plan on an image in "device memory".
  ///
  /// - Parameter gap: bytes between rows.
  static func result(
    of plan: Plan, _ image: Image, gap: Int = 0, on backend: CUDABackend
  ) throws -> [UInt8] {
    let kernels = try DevicePlan(plan)
    let result = plan.result.rect.size
    let (row, made) = (
      image.size.width * image.format.bytesPerPixel, result.width * image.format.bytesPerPixel
    )
    var input = [UInt8](repeating: 0xA5, count: (row + gap) * image.size.height)
    for y in 0..<image.size.height {
      input.replaceSubrange(
        y * (row + gap)..<y * (row + gap) + row, with: image.bytes[y * row..<(y + 1) * row])
    }
    var output = [UInt8](repeating: 0x5A, count: (made + gap) * result.height)
    try input.withUnsafeMutableBytes { input in
      try output.withUnsafeMutableBytes { output in
        try backend.run(
          kernels,
          from: DeviceImage(address: address(input), pitch: row + gap),
          to: DeviceImage(address: address(output), pitch: made + gap), stream: 7)
      }
    }
    for y in 0..<result.height {
      let between = output[y * (made + gap) + made..<(y + 1) * (made + gap)]
      #expect(between.allSatisfy { $0 == 0x5A }, "bytes between rows were written")
    }
    return (0..<result.height).flatMap { y in
      Array(output[y * (made + gap)..<y * (made + gap) + made])
    }
  }

  private static func address(_ bytes: UnsafeMutableRawBufferPointer) -> UInt64 {
    UInt64(UInt(bitPattern: bytes.baseAddress))
  }
}
