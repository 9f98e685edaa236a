import FrostglassServer
import Glibc
import Testing

/// A daemon that cannot be made leaves nothing open.
@Suite struct HTTPDaemonTests {
  @Test func whatCannotBeListenedToIsClosed() throws {
    let folder = try Folder()
    try folder.write("file", "no socket")
    let server = try TestServer()
    let descriptor = open("\(folder.path)/file", O_RDONLY | O_CLOEXEC)
    var (file, now) = (stat(), stat())
    #expect(fstat(descriptor, &file) == 0)
    #expect(
      HTTPDaemon(
        listener: descriptor, limits: ConnectionLimits(), handler: server.server.service) == nil)
    // Another test may have the number by now.
    #expect(fstat(descriptor, &now) != 0 || now.st_ino != file.st_ino || now.st_dev != file.st_dev)
  }
}
