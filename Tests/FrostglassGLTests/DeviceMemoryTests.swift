import FrostglassGL
import Glibc
import TestSupport
import Testing

/// The memory that a device reports.
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
    int nvmlDeviceGetMigMode(void *device, unsigned *now, unsigned *pending) {
      *now = *pending = SPLIT;
      return device == (void *)1 ? 0 : 3;
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
    try withLibrary(gpus: gpus) { #expect(GLMemory(managedBy: $0) == memory) }
  }

  /// Most GPUs cannot be split, and say so by an error.
  @Test func splitGPUsAreKnown() throws {
    try withLibrary(gpus: 2, isSplit: true) { library in
      #expect(NVIDIAManagement(library)?.devices.map(\.isSplit) == [true, false])
    }
    try withLibrary(gpus: 1) { #expect(NVIDIAManagement($0)?.devices.map(\.isSplit) == [false]) }
    #expect(NVIDIAManagement("libfrostglass-is-not-there.so") == nil)
  }

  private func withLibrary(
    gpus: Int, isSplit: Bool = false, _ body: (String) throws -> Void
  ) throws {
    let folder = CacheFolder()
    mkdir(folder.path, 0o700)
    let (source, made) = ("\(folder.path)/nvml.c", "\(folder.path)/nvml.so")
    let file = try #require(fopen(source, "w"))
    fputs(Self.library, file)
    fclose(file)
    let numbers = "-DGPUS=\(gpus) -DSPLIT=\(isSplit ? 1 : 0)"
    let command = "clang \(numbers) -shared -fPIC -o \(made) \(source)"
    let compiler = try #require(popen(command, "r"))
    try #require(pclose(compiler) == 0)
    try body(made)
  }

  /// A Pi has no memory of its own, nor has what is part of a processor; a card may have.
  @Test(arguments: [
    ("/sys/devices/platform/soc/fec00000.v3d", true),
    ("/sys/devices/pci0000:00/0000:00:02.0", true),
    ("/sys/devices/pci0000:00/0000:00:01.0/0000:03:00.0", false), ("", false),
  ])
  func whatIsPartOfAChipSharesMemory(_ device: String, _ isShared: Bool) {
    let memory = GLMemory(sharedBy: device, available: 3 << 30)
    #expect(memory == (isShared ? GLMemory(total: 3 << 30) : nil))
    #expect(GLMemory(sharedBy: device, available: nil) == nil)
  }

  @Test func theSystemSaysWhatIsAvailable() {
    let text = "MemTotal: 8000 kB MemFree: 100 kB MemAvailable: 5000 kB Buffers: 7 kB"
    #expect(GLMemory.available(of: text) == 5000 << 10)
    #expect(GLMemory.available(of: "MemTotal: 8000 kB") == nil)
  }

  @Test func withoutTheLibraryNothingIsKnown() {
    #expect(GLMemory(managedBy: "libfrostglass-is-not-there.so") == GLMemory())
  }
}
