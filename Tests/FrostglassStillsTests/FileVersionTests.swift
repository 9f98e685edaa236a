import Foundation
import FrostglassCore
import FrostglassStills
import Glibc
import TestSupport
import Testing

/// A file that is another one, or says something else, is told from what it was.
@Suite struct FileVersionTests {
  @Test func everyChangeIsSeen() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("a")
    let changes: [(String, () throws -> Void)] = [
      ("longer", { try Data("one more".utf8).write(to: file) }),
      ("replaced", { try Data("one".utf8).write(to: file, options: .atomic) }),
      ("gone", { try FileManager.default.removeItem(at: file) }),
    ]
    for (name, change) in changes {
      try Data("one".utf8).write(to: file)
      // The clock of files is too coarse to tell two changes at once apart.
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 1000)], ofItemAtPath: file.path)
      let before = try #require(FileVersion(file.path))
      #expect(before.isCurrent)
      try change()
      #expect(!before.isCurrent, "\(name)")
    }
  }

  /// A link that was turned leads elsewhere, and back again to what it was.
  @Test func onlyTheFileOfItsStateIsRead() throws {
    let scratch = Scratch()
    let image = try StillEncoder().encode(TestImage.ramp(.rgb8), as: .png)
    let (one, other) = (scratch.add("one.png", image), scratch.add("other.png", image))
    let link = scratch.add("link.png", [])
    func turn(to path: String) {
      unlink(link)
      symlink(path, link)
    }
    turn(to: one)
    var options = DecodeOptions()
    options.version = try StillDecoder().reader(of: .file(link)).version
    #expect(options.version == FileVersion(link) && options.version != nil)
    turn(to: other)
    #expect(throws: DecodeError.changed(name: link)) {
      try StillDecoder(options).decode(.file(link))
    }
    #expect(throws: DecodeError.changed(name: link)) {
      try StillDecoder(options).header(of: .file(link))
    }
    #expect(FileDigest.sha256(of: .file(link), in: options.version) == nil)
    turn(to: one)
    #expect(try StillDecoder(options).decode(.file(link)).format == .png)
    #expect(FileDigest.sha256(of: .file(link), in: options.version) == FileDigest.sha256(of: image))
  }

  @Test func onlyFilesHaveOne() {
    #expect(FileVersion("/dev/null") == nil && FileVersion("/") == nil)
    #expect(FileVersion("/no/such/file") == nil)
  }
}
