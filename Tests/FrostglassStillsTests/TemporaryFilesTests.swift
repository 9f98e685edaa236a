import FrostglassCore
import FrostglassStills
import Glibc
import Testing

/// Cleanup of temporary files after interruptions.
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

  @Test func filesUnderWayGoFinishedOnesStay() {
    let begun = make()
    let finished = make()
    #expect(begun != finished && access(begun, F_OK) == 0)
    #expect(files.finish(finished) { rename(finished, scratch / "done") } == nil)
    files.removeAll()
    #expect(scratch.names == ["done"])
  }

  /// A process does not end between two names that belong together.
  @Test func theEndWaitsForWhatIsDoneTogether() {
    let begun = make()
    let isEnding = Monitor(false)
    files.together {
      BackgroundThread.start { [files] in
        isEnding.change { $0 = true }
        files.removeAll()
        isEnding.change { $0 = false }
      }
      isEnding.wait(until: { $0 }) { _ in }
      for _ in 0..<1000 where access(begun, F_OK) == 0 { sched_yield() }
      // Where the end came first, this would wait for ever.
      guard access(begun, F_OK) == 0 else {
        Issue.record("the end did not wait")
        return
      }
      #expect(files.finish(begun) { rename(begun, scratch / "done") } == nil)
    }
    isEnding.wait(until: { !$0 }) { _ in }
    #expect(scratch.names == ["done"])
  }

  @Test func failedCallsAreToldByTheirErrorNumbers() {
    let (_, result) = files.make(in: "/nowhere/") { open($0, O_WRONLY | O_CREAT, 0o600) }
    #expect(result == -ENOENT)
    let path = make()
    #expect(files.finish(path) { rename(path, "/nowhere/x") } == ENOENT)
    // It is still to be removed.
    files.removeAll()
    #expect(scratch.names == [])
  }

  /// A second interruption finds whatever there is.
  @Test func theEndMayComeAtOnce() {
    let begun = make()
    files.together { files.removeAll(atOnce: true) }
    #expect(access(begun, F_OK) != 0)
  }

  /// Makes a file that was last written some seconds ago.
  private func leave(_ name: String, ago age: Int = 3600) {
    scratch.add(name, [1])
    var times = [timespec(), timespec()]
    for index in times.indices { times[index].tv_sec = time(nil) - age }
    #expect(utimensat(AT_FDCWD, scratch / name, times, 0) == 0)
  }

  @Test func whatAKilledProcessHasLeftGoesWithTheNextFile() {
    for name in [
      ".frostglass-1z", ".frostglass-held", ".frostglass-", ".frostglass-a.png", ".frostglass-0A",
      ".frostglass", "frostglass-1",
    ] { leave(name) }
    leave(".frostglass-new", ago: -900)
    // As a process that still writes holds it.
    let held = open(scratch / ".frostglass-held", O_RDWR)
    defer { close(held) }
    #expect(flock(held, LOCK_EX) == 0)
    // Names were given just now, whenever the files were written.
    _ = make()
    #expect(scratch.names.contains(".frostglass-1z"))
    let later = TemporaryFiles { time(nil) + 900 }
    _ = later.make(in: scratch.path + "/") { open($0, O_WRONLY | O_CREAT | O_EXCL, 0o600) }
    #expect(!scratch.names.contains(".frostglass-1z"))
    files.removeAll()
    later.removeAll()
    #expect(
      scratch.names == [
        ".frostglass", ".frostglass-", ".frostglass-0A", ".frostglass-a.png", ".frostglass-held",
        ".frostglass-new", "frostglass-1",
      ])
  }

  @Test func aFileThatIsWrittenIsNotLockedAnyMore() throws {
    // Where files without names are, the one that replaces another has a name for a moment only.
    let path = scratch.add("old.png", [1])
    try StillSink.file(path, overwrite: true).write([2, 3])
    #expect(Scratch.contents(path) == [2, 3])
    #expect(scratch.names == ["old.png"])
    let descriptor = open(path, O_RDONLY)
    defer { close(descriptor) }
    // The lock ends with the writing.
    #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
  }

  @Test func aRemovedFileIsThereWithoutAName() throws {
    let descriptor = TemporaryFiles().makeRemoved(in: scratch.path)
    #expect(descriptor >= 0 && scratch.names.isEmpty)
    defer { close(descriptor) }
    var bytes: [UInt8] = [1, 2, 3]
    #expect(write(descriptor, bytes, 3) == 3)
    bytes = [0, 0, 0]
    #expect(pread(descriptor, &bytes, 3, 0) == 3 && bytes == [1, 2, 3])
    #expect(TemporaryFiles().makeRemoved(in: scratch.path + "/none") < 0)
  }
}
