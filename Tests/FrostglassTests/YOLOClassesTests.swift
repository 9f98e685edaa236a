import Frostglass
import Glibc
import Testing

/// `classes.txt` beside the labels of images and of frames.
@Suite struct YOLOClassesTests {
  private let scratch = OutputScratch()

  private func add(_ name: String, _ text: String) throws {
    let file = try #require(fopen(scratch / name, "w"))
    fputs(text, file)
    fclose(file)
  }

  @Test(arguments: [
    ("face\nplate\n", ["face", "plate", "2"]), ("face\r\nplate\r\n", ["face", "plate", "2"]),
    ("\u{FEFF}face\r\nplate", ["face", "plate", "2"]),
    ("face\n\nplate\n\n", ["face", "1", "plate"]),
    ("face\r\n \t\r\nplate", ["face", "1", "plate"]),
    ("  a face \n\tplate\t\n\n\n", ["a face", "plate", "2"]), ("", ["0", "1", "2"]),
  ])
  func eachLineIsAClass(_ text: String, _ names: [String]) throws {
    try add("classes.txt", text)
    try add("0.txt", (0..<3).map { "\($0) 0.5 0.5 0.5 0.\($0 + 1)\n" }.joined())
    let file = try RegionsFile(folder: scratch.path)
    #expect(try file.selection(.file("0.png")).regions.map(\.label) == names)
    #expect(try Tracks(path: scratch.path).tracks.map(\.label) == names)
    // An empty name is none that could be meant.
    #expect(throws: RegionsError.self) { try file.check(RegionFilter(labels: [""])) }
  }

  /// Regions of all files count, and are counted as they are read.
  @Test func aFolderHasALimitOfRegions() throws {
    let line = "0 0.5 0.5 0.5 0.5\n"
    try add("0.txt", String(repeating: line, count: 99_999))
    try add("1.txt", line)
    #expect(try RegionsFile(folder: scratch.path).selection(.file("1.png")).regions.count == 1)
    try add("1.txt", line + line)
    let error = try #require(throws: RegionsError.self) { try RegionsFile(folder: scratch.path) }
    #expect("\(error)".contains("1.txt") && "\(error)".contains("more than 100000 regions"))
  }

  @Test func anEmptyNameOfACategoryIsNoLabel() throws {
    let categories = #""categories": [{"id": 3, "name": ""}]"#
    let box = #""category_id": 3, "bbox": [1, 1, 5, 5]"#
    #expect(
      try Region.list(text: "{\(categories), \"annotations\": [{\(box)}]}").map(\.label) == [nil])
    let tracks = try Tracks(
      text: """
        {"videos": [{"id": 1}], "images": [{"id": 5, "video_id": 1, "frame_id": 0}], \(categories),
         "annotations": [{"id": 1, "video_id": 1, "image_id": 5, \(box)}]}
        """)
    #expect(tracks.tracks.map(\.label) == ["3"])
  }
}
