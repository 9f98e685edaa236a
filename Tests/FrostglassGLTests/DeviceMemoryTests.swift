import FrostglassGL
import Glibc
import TestSupport
import Testing

/// How much memory a device says that it has.
@Suite struct DeviceMemoryTests {
  /// A library that answers as NVIDIA's does: of two GPUs the second has less in all, the first less free;
  /// one that it counts too is not to be had.
  private static let library = """
    #include <stdint.h>
    int nvmlInit_v2(void) { return 0; }
    int nvmlShutdown(void) { return 0; }
    int nvmlDeviceGetCount_v2(unsigned *count) { *count = GPUS; return 0; }
    int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device) {
      *device = (void *)(uintptr_t)(index + 1);
      return index == 2 ? 15 : 0;
    }
    int nvmlDeviceGetMemoryInfo(void *device, uint64_t *bytes) {
      int is_first = device == (void *)1;
      bytes[0] = is_first ? 150ull << 30 : 80ull << 30;
      bytes[1] = is_first ? 10ull << 30 : 70ull << 30;
      bytes[2] = bytes[0] - bytes[1];
      return 0;
    }
    """

  @Test(arguments: [
    (1, GLMemory(total: 150 << 30, free: 10 << 30)), (3, GLMemory(total: 80 << 30, free: nil)),
  ])
  func theLeastOfAllGPUsCounts(_ gpus: Int, _ memory: GLMemory) throws {
    let folder = CacheFolder()
    mkdir(folder.path, 0o700)
    let (source, made) = ("\(folder.path)/nvml.c", "\(folder.path)/nvml.so")
    let file = try #require(fopen(source, "w"))
    fputs(Self.library, file)
    fclose(file)
    let command = "clang -DGPUS=\(gpus) -shared -fPIC -o \(made) \(source)"
    let compiler = try #require(popen(command, "r"))
    try #require(pclose(compiler) == 0)
    #expect(GLMemory(managedBy: made) == memory)
  }

  @Test func withoutTheLibraryNothingIsKnown() {
    #expect(GLMemory(managedBy: "libfrostglass-is-not-there.so") == GLMemory())
  }
}
