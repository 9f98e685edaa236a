internal import FrostglassCore
internal import Glibc

/// The system calls that cameras use, or their substitutes in tests. Calls that return a number return an error number
/// negated.
package protocol CameraSystem: Sendable {
  /// Opens a device.
  ///
  /// - Returns: its descriptor.
  func open(_ path: String) -> Int32
  /// Closes it.
  func close(_ device: Int32)
  /// ioctl(2).
  ///
  /// - Parameter argument: the data that the request reads and fills.
  func control(_ device: Int32, _ request: UInt, _ argument: UnsafeMutableRawPointer) -> Int32
  /// Makes a buffer of the device readable.
  func map(_ device: Int32, _ length: Int, at offset: Int) -> UnsafeRawBufferPointer?
  /// Ends that.
  func unmap(_ buffer: UnsafeRawBufferPointer)
  /// Waits for a frame.
  ///
  /// - Returns: 0 where none has come.
  func wait(_ device: Int32, milliseconds: Int32) -> Int32
}

/// The kernel's.
package struct KernelCameras: CameraSystem {
  package init() {}

  package func open(_ path: String) -> Int32 {
    let device = Glibc.open(path.systemPath, O_RDWR | O_CLOEXEC | O_NONBLOCK)
    return device < 0 ? -errno : device
  }

  package func close(_ device: Int32) { Glibc.close(device) }

  package func control(
    _ device: Int32, _ request: UInt, _ argument: UnsafeMutableRawPointer
  ) -> Int32 {
    while true {
      if ioctl(device, request, argument) >= 0 { return 0 }
      let code = errno
      if code != EINTR { return -code }
    }
  }

  package func map(_ device: Int32, _ length: Int, at offset: Int) -> UnsafeRawBufferPointer? {
    let memory = mmap(nil, length, PROT_READ, MAP_SHARED, device, offset)
    guard let memory, memory != MAP_FAILED else { return nil }
    return UnsafeRawBufferPointer(start: memory, count: length)
  }

  package func unmap(_ buffer: UnsafeRawBufferPointer) {
    munmap(UnsafeMutableRawPointer(mutating: buffer.baseAddress), buffer.count)
  }

  package func wait(_ device: Int32, milliseconds: Int32) -> Int32 {
    var place = pollfd(fd: device, events: Int16(POLLIN), revents: 0)
    while true {
      let count = poll(&place, 1, milliseconds)
      if count >= 0 { return count }
      let code = errno
      if code != EINTR { return -code }
    }
  }
}
