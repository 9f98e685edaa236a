import Frostglass
import Testing

/// Numbers of frames in names of outputs.
@Suite struct FrameNamesTests {
  @Test(arguments: [
    ("frames/%04d.png", 7, "frames/0007.png"), ("%d.png", 12, "12.png"),
    ("a%02db.png", 123, "a123b.png"), ("100%%-%03d.webp", 1, "100%-001.webp"),
    ("a%%b/%d", 0, "a%b/0"), ("%09d", 5, "000000005"),
  ])
  func theNumberTakesItsPlace(pattern: String, number: Int, path: String) throws {
    let names = try #require(try FrameNames.read(pattern).names)
    #expect(names.path(number) == path)
  }

  @Test func aNameWithoutNumberIsAPath() throws {
    let plain = try FrameNames.read("out.png")
    #expect(plain.names == nil && plain.path == "out.png")
    let percent = try FrameNames.read("50%%/%%d.png")
    #expect(percent.names == nil && percent.path == "50%/%d.png")
  }

  @Test(arguments: [
    ("%x.png", "%x"), ("50%.png", "%."), ("%4d.png", "%4d"), ("%00d.png", "%00d"),
    ("%012d.png", "%012d"), ("a%", "%"), ("%0d.png", "%0d"), ("%-3d.png", "%-"), ("% d", "% "),
  ])
  func anotherPercentSignIsRefused(path: String, found: String) {
    let error = FrameSinkError.badNumber(path: path, found: found)
    #expect(throws: error) { try FrameNames.read(path) }
    #expect(error.description.hasPrefix("\(path): \(found) stands for no number"))
  }

  @Test func thereIsOneNumberInTheFilesName() {
    #expect(throws: FrameSinkError.severalNumbers(path: "%d-%d.png")) {
      try FrameNames.read("%d-%d.png")
    }
    #expect(throws: FrameSinkError.numberInFolder(path: "f%d/a.png")) {
      try FrameNames.read("f%d/a.png")
    }
  }

  @Test(arguments: [
    ("%d.png", ""), ("a/%d.png", "a"), ("a/b/c%d.png", "a/b"), ("/%d.png", "/"), ("/a/%d", "/a"),
  ])
  func allAreInOneFolder(pattern: String, folder: String) throws {
    #expect(try FrameNames.read(pattern).names?.folder == folder)
  }
}
