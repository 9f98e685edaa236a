import FrostglassStills
import Glibc
import Testing

/// What an interrupted process takes with it.
@Suite struct TemporaryFilesTests {
  let scratch = Scratch()
  let files = TemporaryFiles()

  private func make() -> String {
    let (path, descriptor) = files.make(in: scratch.path + "/") {
      open($0, O_WRONLY | O_CREAT | O_EXCL, 0o600)
    }
    #expect(descriptor >= 0)
    close(descriptor)
    return path
  }

  @Test func `files under way go, finished ones stay`() {
    let begun = make()
    let finished = make()
    #expect(begun != finished && access(begun, F_OK) == 0)
    #expect(files.finish(finished) { rename(finished, scratch / "done") } == nil)
    files.removeAll()
    #expect(scratch.names == ["done"])
  }

  @Test func `failed calls are told by their error numbers`() {
    let (_, result) = files.make(in: "/nowhere/") { open($0, O_WRONLY | O_CREAT, 0o600) }
    #expect(result == -ENOENT)
    let path = make()
    #expect(files.finish(path) { rename(path, "/nowhere/x") } == ENOENT)
    // It is still to be removed.
    files.removeAll()
    #expect(scratch.names == [])
  }
}
