import Foundation
import FrostglassStills
import Testing

/// `--preset` and `--save-preset`.
@Suite struct PresetCommandTests {
  private func scratch() throws -> Scratch {
    let scratch = try Scratch()
    try scratch.add("in.png", SampleImage.file())
    return scratch
  }

  @Test func aSavedPresetMakesTheSameImage() throws {
    let scratch = try scratch()
    let first = try scratch.run(
      "blur", "in.png", "one.png", "--filter", "blur(3px) saturate(180%)", "--edge", "mirror",
      "--linear", "--save-preset", "card.json", "--preset-name", "Card", "--preset-description",
      "For cards")
    #expect(first.exitCode == 0 && first.output.isEmpty && first.errors.isEmpty, "\(first)")
    let again = try scratch.run("blur", "in.png", "two.png", "--preset", "card.json")
    #expect(again.exitCode == 0, "\(again)")
    #expect(try scratch.contents("one.png") == scratch.contents("two.png"))
    let parsed = try JSONSerialization.jsonObject(with: Data(scratch.contents("card.json")))
    let object = try #require(parsed as? [String: Any])
    #expect(object["name"] as? String == "Card" && object["description"] as? String == "For cards")
    #expect(object["edge"] as? String == "mirror" && object["linear"] as? Bool == true)
  }

  @Test func withoutAnImageOnlyThePresetIsSaved() throws {
    let scratch = try scratch()
    let run = try scratch.run("blur", "--style", "dark", "--scale", "2", "--save-preset", "p.json")
    #expect(run.exitCode == 0, "\(run)")
    #expect(scratch.names == ["in.png", "p.json"])
    let plan = try scratch.run("plan", "in.png", "--preset", "p.json", "--scale", "1")
    #expect(plan.text == (try scratch.run("plan", "in.png", "--style", "dark")).text, "\(plan)")
  }

  @Test func anExistingFileNeedsOverwrite() throws {
    let scratch = try scratch()
    try scratch.add("p.json", [1])
    let words = ["blur", "in.png", "out.png", "--sigma", "2", "--save-preset", "p.json"]
    let refused = try scratch.run(words)
    #expect(refused.exitCode == 73 && refused.explains(["p.json", "--overwrite"]), "\(refused)")
    #expect(scratch.names == ["in.png", "p.json"])
    #expect(try scratch.run(words + ["--overwrite"]).exitCode == 0)
    #expect(try scratch.contents("p.json").count > 1)
  }

  @Test func aBlurThatFailsSavesNothing() throws {
    let scratch = try scratch()
    let run = try scratch.run(
      "blur", "absent.png", "out.png", "--sigma", "2", "--save-preset", "p.json")
    #expect(run.exitCode == 66, "\(run)")
    #expect(scratch.names == ["in.png"])
  }

  @Test(
    arguments: [
      ("p.json", 65, ["p.json:2:3", "no edgee", "did you mean edge"]),
      ("absent.json", 66, ["absent.json", "no such preset"]),
      ("in.png", 65, ["in.png:1:1: ", "UTF-8"]),
      (".", 66, [".", "cannot be read"]),
    ]) func aBadPresetIsExplained(_ file: String, _ code: Int32, _ words: [String]) throws
  {
    let scratch = try scratch()
    try scratch.add("p.json", Array("{\"filter\": \"blur(2px)\",\n  \"edgee\": \"clamp\"}".utf8))
    let run = try scratch.run("blur", "in.png", "out.png", "--preset", file)
    #expect(run.exitCode == code && run.explains(words), "\(run)")
    #expect(scratch.names == ["in.png", "p.json"])
  }

  @Test(
    arguments: [
      (["--preset", "p.json", "--sigma", "2"], ["--preset", "--sigma", "exclude"]),
      (["--preset", "p.json", "--filter", "blur(2px)"], ["--filter", "exclude"]),
      (["--sigma", "2", "--preset-name", "x"], ["--preset-name", "--save-preset"]),
      (["--sigma", "2", "--save-preset", ""], ["--save-preset is empty"]),
    ]) func wrongWordsAreExplained(_ options: [String], _ words: [String]) throws
  {
    let scratch = try scratch()
    let run = try scratch.run(["blur", "in.png", "out.png"] + options)
    #expect(run.exitCode == 64 && run.explains(words), "\(run)")
  }

  /// Inputs are never outputs. A preset alone may be saved where it was.
  @Test func whatIsReadIsNotOverwritten() throws {
    let scratch = try scratch()
    // A preset may have any name.
    let preset = Array("{\"filter\": \"blur(2px)\"}".utf8)
    for name in ["p.json", "p.png"] { try scratch.add(name, preset) }
    try scratch.addFolder("sub")
    try scratch.add("sub/p.png", SampleImage.file())
    let named = ["--preset", "p.json", "--overwrite"]
    let cases: [([String], String)] = [
      (["blur", "in.png", "./p.json", "--format", "png"] + named, "which --preset reads"),
      (["blur", "in.png", "o.png", "--also", "-> sub/../p.json"] + named, "which --preset reads"),
      (["video", "in.mp4", "p.json"] + named, "which --preset reads"),
      (
        ["blur", "sub/p.png", "--out-dir", ".", "--preset", "p.png", "--overwrite"],
        "--preset reads"
      ),
      (
        ["blur", "in.png", "--out-dir", "out", "--report", "p.json"] + named,
        "which --preset reads"
      ),
    ]
    for (words, told) in cases { try scratch.refusal(words, exit: 64, [told]) }
    for name in ["p.json", "p.png"] { #expect(try scratch.contents(name) == preset) }
    let saved = try scratch.run(["blur", "--scale", "2", "--save-preset", "p.json"] + named)
    #expect(saved.exitCode == 0, "\(saved)")
    #expect(try scratch.contents("p.json") != preset)
  }
}
