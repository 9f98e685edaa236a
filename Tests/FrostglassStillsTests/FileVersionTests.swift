import Foundation
import FrostglassStills
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

  @Test func onlyFilesHaveOne() {
    #expect(FileVersion("/dev/null") == nil && FileVersion("/") == nil)
    #expect(FileVersion("/no/such/file") == nil)
  }
}
