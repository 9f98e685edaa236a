internal import Frostglass

extension Option {
  static let gpuMemory = Option(
    "gpu-memory", value: "SIZE", "At most this on the GPU, such as 512M; larger pictures in parts")
}

extension ParsedArguments {
  /// Bytes that `--gpu-memory` allows; `nil` where it is not given.
  func gpuMemory() throws(Failure) -> Int? {
    guard let text = values["gpu-memory"] else { return nil }
    guard let size = ByteCount(text: text) else {
      throw .usage(
        "--gpu-memory is \(text); it must be a number of bytes, or one with K, M, G or T")
    }
    return size.bytes
  }
}
