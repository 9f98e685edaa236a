import Foundation
import FrostglassStills
import Testing

/// `frostglass placeholder`.
@Suite struct PlaceholderCommandTests {
  @Test func linesForPeople() throws {
    let scratch = try Scratch()
    try scratch.add("in.png", SampleImage.file())
    let run = try scratch.run("placeholder", "in.png")
    #expect(run.exitCode == 0 && run.errors.isEmpty, "\(run)")
    let lines = run.text.split(separator: "\n")
    #expect(
      lines.map { $0.split(separator: " ")[0] } == [
        "in.png", "size", "blurhash", "thumbhash", "average", "dominant", "uri",
      ])
    #expect(run.text.contains("size       24×16\n"), "\(run)")
    // Half red and half blue: light 1/2 is 188 of 255. Of two equal colors the bluer comes first.
    #expect(run.text.contains("average    #bc00bc\n"), "\(run)")
    #expect(run.text.contains("dominant   #0000ff\n"), "\(run)")
    #expect(scratch.names == ["in.png"])
  }

  @Test func objectsForPrograms() throws {
    let scratch = try Scratch()
    try scratch.add("a \"b\".png", SampleImage.file())
    try scratch.add("c.jpg", SampleImage.file(.jpeg, width: 300, height: 200))
    let run = try scratch.run(
      "placeholder", "a \"b\".png", "c.jpg", "--json", "--components", "2x5", "--uri", "png",
      "--uri-side", "4")
    #expect(run.exitCode == 0 && run.errors.isEmpty, "\(run)")
    let objects = try run.text.split(separator: "\n").map { line in
      try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    #expect(objects.map { $0["file"] as? String } == ["a \"b\".png", "c.jpg"])
    #expect(objects.map { $0["width"] as? Int } == [24, 300])
    #expect(objects.map { $0["height"] as? Int } == [16, 200])
    for object in objects {
      #expect((object["blurhash"] as? String)?.count == 4 + 2 * 10)
      #expect(object["hasAlpha"] as? Bool == false)
      #expect((object["dataURI"] as? String)?.hasPrefix("data:image/png;base64,") == true)
      #expect((object["thumbhash"] as? String)?.isEmpty == false)
    }
  }

  @Test func anImageFromAPipe() throws {
    let scratch = try Scratch()
    try scratch.add("in.jpg", SampleImage.file(.jpeg, width: 1700, height: 900))
    let file = try scratch.run("placeholder", "in.jpg", "--json")
    let pipe = try scratch.shell("cat in.jpg | \"$frostglass\" placeholder - --json")
    #expect(pipe.exitCode == 0, "\(pipe)")
    #expect(pipe.text == file.text.replacing("\"in.jpg\"", with: "\"-\""))
  }

  @Test(
    arguments: [
      (["--components", "10x3"], ["10x3", "1 to 9", "4x3"]),
      (["--components", "4"], ["--components", "4x3"]),
      (["--components", "4x"], ["4x;", "1 to 9"]),
      (["--uri", "gif"], ["gif", "webp, png or jpg"]), (["--uri-side", "0"], ["0", "1 to 100"]),
      (["--background", "clear"], ["clear", "CSS color"]),
      (["--component", "4x3"], ["did you mean"]),
    ]) func wrongWordsAreExplained(_ options: [String], _ words: [String]) throws
  {
    let scratch = try Scratch()
    try scratch.add("in.png", SampleImage.file())
    let run = try scratch.run(["placeholder", "in.png"] + options)
    #expect(run.exitCode == 64, "\(run)")
    #expect(run.explains(words), "\(run)")
  }

  @Test func noImageIsExplained() throws {
    let run = try Scratch().run("placeholder")
    #expect(run.exitCode == 64 && run.explains(["IMAGE", "placeholder --help"]), "\(run)")
  }

  @Test func oneThatFailsDoesNotStopTheRest() throws {
    let scratch = try Scratch()
    try scratch.add("in.png", SampleImage.file())
    let alone = try scratch.run("placeholder", "absent.png")
    #expect(alone.exitCode == 66 && alone.explains(["absent.png", "no such file"]), "\(alone)")
    let run = try scratch.run("placeholder", "absent.png", "in.png", "--json")
    #expect(run.exitCode == 65, "\(run)")
    #expect(run.text.hasPrefix("{\"file\":\"in.png\""), "\(run)")
    #expect(run.errors.contains("1 of 2 failed") && run.errors.contains("absent.png"), "\(run)")
  }
}
