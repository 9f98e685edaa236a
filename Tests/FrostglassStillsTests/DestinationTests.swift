import FrostglassCore
import FrostglassStills
import Glibc
import TestSupport
import Testing

@Suite struct DestinationTests {
  let scratch = Scratch()
  let image = TestImage.ramp(.rgb8)

  func write(_ path: String, overwrite: Bool = false) throws(EncodeError) {
    try StillEncoder().encode(image, as: .png, to: .file(path, overwrite: overwrite))
  }

  func mode(_ path: String) -> mode_t {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode : 0
  }

  @Test func aNewFileHasTheBytesAndTheUsualMode() throws {
    let path = scratch / "new.png"
    try write(path)
    #expect(try Scratch.contents(path) == StillEncoder().encode(image, as: .png))
    let mask = umask(0)
    umask(mask)
    #expect(mode(path) & 0o777 == 0o666 & ~mask)
    #expect(scratch.names == ["new.png"])
  }

  @Test func anExistingFileStaysUnlessOverwritingIsAllowed() throws {
    let path = scratch.add("old.png", [1, 2, 3])
    chmod(path, 0o640)
    #expect(throws: EncodeError.exists(path: path)) { try write(path) }
    #expect(throws: EncodeError.exists(path: path)) {
      try StillSink.file(path, overwrite: false).preflight()
    }
    #expect(Scratch.contents(path) == [1, 2, 3])
    try write(path, overwrite: true)
    #expect(Scratch.contents(path).starts(with: PNGFile.signature))
    #expect(mode(path) & 0o777 == 0o640)
    #expect(scratch.names == ["old.png"])
  }

  @Test func aSymbolicLinkStaysAndItsTargetIsReplaced() throws {
    let target = scratch.add("target.png", [1])
    let path = scratch / "link.png"
    symlink("target.png", path)
    #expect(throws: EncodeError.exists(path: path)) { try write(path) }
    try write(path, overwrite: true)
    #expect(mode(path) & S_IFMT == S_IFLNK)
    #expect(Scratch.contents(target).starts(with: PNGFile.signature))
    #expect(scratch.names == ["link.png", "target.png"])
  }

  @Test func aLinkToNothingMakesItsTarget() throws {
    let path = scratch / "link.png"
    symlink(scratch / "later.png", path)
    try write(path)
    #expect(mode(path) & S_IFMT == S_IFLNK)
    #expect(scratch.names == ["later.png", "link.png"])
  }

  @Test func linksInACircleAreAnError() throws {
    let path = scratch / "a.png"
    symlink("b.png", path)
    symlink("a.png", scratch / "b.png")
    #expect(throws: EncodeError.self) { try write(path, overwrite: true) }
  }

  @Test func pathsOfOnePlaceAreOnePlace() throws {
    scratch.add("a.png", [1])
    mkdir(scratch / "sub", 0o700)
    defer { rmdir(scratch / "sub") }
    symlink("a.png", scratch / "link.png")
    symlink("nothing.png", scratch / "broken.png")
    symlink(".", scratch / "here")
    func place(_ name: String) -> FilePlace { FilePlace(scratch / name) }
    for name in ["./a.png", "sub/../a.png", "link.png", "here/a.png", "here/here/link.png"] {
      #expect(place(name) == place("a.png") && place(name).holdsFile, "\(name)")
    }
    #expect(place("broken.png") == place("nothing.png"))
    #expect(place("none/./b.png") == place("here/none//b.png"))
    for name in ["b.png", "sub/a.png", "none/a.png", "A.png"] {
      #expect(place(name) != place("a.png"), "\(name)")
    }
    #expect(place("\u{E9}") != place("e\u{301}"))
    #expect(FilePlace("/dev/stdout") == StillSink.standardOutput.place)
    #expect(FilePlace("/dev/fd/1") == .standardOutput && !FilePlace.standardOutput.holdsFile)
    #expect(FilePlace("/dev/null") == FilePlace("/dev/../dev/null"))
  }

  @Test func aPipeIsWrittenInPlace() throws {
    let path = scratch / "pipe"
    #expect(mkfifo(path, 0o600) == 0)
    // Open for both, so that neither end waits; a small image fits the pipe's buffer.
    let reader = open(path, O_RDWR | O_NONBLOCK)
    defer { close(reader) }
    try write(path)
    #expect(try Scratch.rest(of: reader) == StillEncoder().encode(image, as: .png))
    #expect(mode(path) & S_IFMT == S_IFIFO)
    #expect(scratch.names == ["pipe"])
  }

  @Test func aDescriptorsPathIsWrittenWhereItStands() throws {
    let path = scratch.add("log", [9, 9])
    let descriptor = open(path, O_WRONLY | O_APPEND)
    try write("/dev/fd/\(descriptor)")
    close(descriptor)
    #expect(Scratch.contents(path).starts(with: [9, 9] + PNGFile.signature))
  }

  @Test func aFolderAsTheOutputIsAnError() {
    let error = #expect(throws: EncodeError.self) { try write(scratch.path, overwrite: true) }
    #expect(error?.description.contains("Is a directory") == true)
  }

  @Test(arguments: ["", "none/x.png", "plain/x.png"])
  func aPlaceThatDoesNotExistIsAnError(name: String) throws {
    scratch.add("plain", [1])
    let path = name.isEmpty ? "" : scratch / name
    let error = #expect(throws: EncodeError.self) { try write(path) }
    guard case .unwritable(path, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(throws: EncodeError.self) { try StillSink.file(path, overwrite: true).preflight() }
    #expect(scratch.names == ["plain"])
  }

  @Test func aPlaceThatTakesNoFilesIsAnError() {
    #expect(throws: EncodeError.self) { try write("/proc/frostglass.png") }
  }

  @Test func aFullDeviceIsAnError() throws {
    let error = #expect(throws: EncodeError.self) { try write("/dev/full") }
    #expect(error == .unwritable(path: "/dev/full", reason: "No space left on device"))
  }

  @Test func aFullDiskLeavesNothingBehind() throws {
    let folder = scratch / "small"
    mkdir(folder, 0o755)
    defer { rmdir(folder) }
    guard mount("tmpfs", folder, "tmpfs", 0, "size=64k") == 0 else {
      print("SKIP full disk: this user may not mount a tmpfs")
      return
    }
    defer { umount2(folder, Int32(MNT_DETACH)) }
    let path = folder + "/big.tif"
    let large = TestImage.ramp(PixelFormat(.rgba, .float32), width: 400, height: 300)
    let error = #expect(throws: EncodeError.self) {
      try StillEncoder().encode(large, as: .tiff, to: .file(path, overwrite: false))
    }
    #expect(error == .unwritable(path: path, reason: "No space left on device"))
    #expect(Scratch.names(in: folder).isEmpty)
  }

  @Test func piecesThatAreNotWantedInTheEndLeaveNothingBehind() {
    let file = EncodedFile()
    for sink in [StillSink.file(scratch / "film.y4m", overwrite: false), .memory(file)] {
      #expect(throws: CancellationError.self) {
        var pieces: [[UInt8]] = [[1], [2]]
        try sink.write(pieces: { pieces.popLast() }, finish: { throw CancellationError() })
      }
    }
    #expect(scratch.names == [])
    #expect(file.bytes == nil)
  }

  @Test func anImageThatCannotBeEncodedLeavesNothingBehind() {
    #expect(throws: EncodeError.self) {
      try StillEncoder().encode(
        TestImage.ramp(.rgba8), as: .jpeg, to: .file(scratch / "x.jpg", overwrite: false))
    }
    #expect(scratch.names == [])
  }
}
