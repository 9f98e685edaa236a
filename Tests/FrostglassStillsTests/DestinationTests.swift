import FrostglassCore
import FrostglassStills
import Glibc
import Testing

@Suite struct DestinationTests {
  let scratch = Scratch()
  let image = TestPicture.ramp(.rgb8)

  func write(_ path: String, overwrite: Bool = false) throws(EncodeError) {
    try StillEncoder().encode(image, as: .png, to: .file(path, overwrite: overwrite))
  }

  func mode(_ path: String) -> mode_t {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode : 0
  }

  @Test func `a new file has the bytes and the usual mode`() throws {
    let path = scratch / "new.png"
    try write(path)
    #expect(try Scratch.contents(path) == StillEncoder().encode(image, as: .png))
    let mask = umask(0)
    umask(mask)
    #expect(mode(path) & 0o777 == 0o666 & ~mask)
    #expect(scratch.names == ["new.png"])
  }

  @Test func `an existing file stays unless overwriting is allowed`() throws {
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

  @Test func `a symbolic link stays and its target is replaced`() throws {
    let target = scratch.add("target.png", [1])
    let path = scratch / "link.png"
    symlink("target.png", path)
    #expect(throws: EncodeError.exists(path: path)) { try write(path) }
    try write(path, overwrite: true)
    #expect(mode(path) & S_IFMT == S_IFLNK)
    #expect(Scratch.contents(target).starts(with: PNGFile.signature))
    #expect(scratch.names == ["link.png", "target.png"])
  }

  @Test func `a link to nothing makes its target`() throws {
    let path = scratch / "link.png"
    symlink(scratch / "later.png", path)
    try write(path)
    #expect(mode(path) & S_IFMT == S_IFLNK)
    #expect(scratch.names == ["later.png", "link.png"])
  }

  @Test func `links in a circle are an error`() throws {
    let path = scratch / "a.png"
    symlink("b.png", path)
    symlink("a.png", scratch / "b.png")
    #expect(throws: EncodeError.self) { try write(path, overwrite: true) }
  }

  @Test func `a pipe is written in place`() throws {
    let path = scratch / "pipe"
    #expect(mkfifo(path, 0o600) == 0)
    // Open for both, so that neither end waits; a small picture fits the pipe's buffer.
    let reader = open(path, O_RDWR | O_NONBLOCK)
    defer { close(reader) }
    try write(path)
    #expect(try Scratch.rest(of: reader) == StillEncoder().encode(image, as: .png))
    #expect(mode(path) & S_IFMT == S_IFIFO)
    #expect(scratch.names == ["pipe"])
  }

  @Test func `a descriptor's path is written where it stands`() throws {
    let path = scratch.add("log", [9, 9])
    let descriptor = open(path, O_WRONLY | O_APPEND)
    try write("/dev/fd/\(descriptor)")
    close(descriptor)
    #expect(Scratch.contents(path).starts(with: [9, 9] + PNGFile.signature))
  }

  @Test func `a folder as the output is an error`() {
    let error = #expect(throws: EncodeError.self) { try write(scratch.path, overwrite: true) }
    #expect(error?.description.contains("Is a directory") == true)
  }

  @Test(arguments: ["", "none/x.png", "plain/x.png"])
  func `a place that does not exist is an error`(name: String) throws {
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

  @Test func `a place that takes no files is an error`() {
    #expect(throws: EncodeError.self) { try write("/proc/frostglass.png") }
  }

  @Test func `a full device is an error`() throws {
    let error = #expect(throws: EncodeError.self) { try write("/dev/full") }
    #expect(error == .unwritable(path: "/dev/full", reason: "No space left on device"))
  }

  @Test func `a full disk leaves nothing behind`() throws {
    let folder = scratch / "small"
    mkdir(folder, 0o755)
    defer { rmdir(folder) }
    guard mount("tmpfs", folder, "tmpfs", 0, "size=64k") == 0 else {
      print("SKIP full disk: this user may not mount a tmpfs")
      return
    }
    defer { umount2(folder, Int32(MNT_DETACH)) }
    let path = folder + "/big.tif"
    let large = TestPicture.ramp(PixelFormat(.rgba, .float32), width: 400, height: 300)
    let error = #expect(throws: EncodeError.self) {
      try StillEncoder().encode(large, as: .tiff, to: .file(path, overwrite: false))
    }
    #expect(error == .unwritable(path: path, reason: "No space left on device"))
    #expect(Scratch.names(in: folder).isEmpty)
  }

  @Test func `a picture that cannot be encoded leaves nothing behind`() {
    #expect(throws: EncodeError.self) {
      try StillEncoder().encode(
        TestPicture.ramp(.rgba8), as: .jpeg, to: .file(scratch / "x.jpg", overwrite: false))
    }
    #expect(scratch.names == [])
  }
}
