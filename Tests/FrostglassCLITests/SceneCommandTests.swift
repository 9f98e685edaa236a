import Foundation
import FrostglassCore
import FrostglassStills
import Testing

/// `frostglass scene`.
@Suite struct SceneCommandTests {
  /// Content scrolls under a bar with a material; a view drops down; the status bar chooses its
  /// color.
  private static let scene = """
    {
      "canvas": {"width": 60, "height": 90, "scale": 2},
      "duration": 1.2,
      "content": {"images": ["in.png"], "background": "#336699", "rows": {"count": 20, "height": 20,
        "items": [{"text": "{row}", "size": 16, "color": "orange", "left": 4, "right": 50}]}},
      "scroll": {"gestures": [{"at": 0.1, "drag": 90, "duration": 0.2, "velocity": 500}]},
      "layers": [
        {"kind": "bar", "id": "bar", "min": 10, "max": 30, "behavior": "scroll-away",
         "snap": [[0, 0.5, 0], [0.5, 1, 1]], "material": "light(sigma=4px)",
         "items": [{"id": "title", "text": "Hi", "size": 10, "align": "center",
           "centerY": "bar.centerY", "height": 12, "left": 0, "right": "bar.right"}]},
        {"kind": "backdrop", "id": "view", "frame": [5, 20, 50, 40], "material": "blur(3px)",
         "cornerRadius": 6, "live": 0.25,
         "events": [{"at": 0.4, "shown": true}, {"at": 0.9, "shown": false}]},
        {"kind": "status-bar", "id": "status", "style": "auto", "items": [
          {"id": "time", "fill": "content", "frame": [25, 5, 10, 6], "cornerRadius": 3}]}
      ]
    }
    """

  private func scratch() throws -> Scratch {
    let scratch = try Scratch()
    try scratch.add("in.png", SampleImage.file(.png, width: 80, height: 300))
    try scratch.add("scene.json", Array(Self.scene.utf8))
    return scratch
  }

  private func image(_ scratch: Scratch, _ name: String) throws -> Image {
    try scratch.picture(name).image
  }

  @Test func aVideoHasALineAndThreePlanesForEachFrame() throws {
    let scratch = try Scratch()
    let scene = """
      {"canvas": {"width": 5, "height": 3, "background": "#c00"}, "duration": 0.4,
       "layers": [{"fill": "white", "keyframes": [{"at": 0.15}, {"at": 0.15, "alpha": 0}]}]}
      """
    try scratch.add("scene.json", Array(scene.utf8))
    let file = try scratch.run("scene", "scene.json", "-o", "f.y4m", "--fps", "29.97")
    #expect(file.exitCode == 0, "\(file)")
    let video = try scratch.contents("f.y4m")
    let header = "YUV4MPEG2 W5 H3 F30000:1001 Ip A1:1 C420jpeg XCOLORRANGE=LIMITED\n"
    #expect(video.starts(with: header.utf8))
    // 15 samples of brightness and two times 3 by 2 of the differences.
    let frames = video.dropFirst(header.utf8.count)
    #expect(frames.count == 12 * (6 + 15 + 12))
    let last = Array(frames.suffix(27))
    #expect(frames.suffix(33).starts(with: "FRAME\n".utf8))
    // 219 · 0.2126 · 0.8 + 16 = 53; of the red difference 112 · 0.8 + 128, of the blue one
    // 128 − 224 · 0.8 · 0.2126 / 1.8556.
    #expect(last.prefix(15).allSatisfy { $0 == 53 }, "\(last)")
    #expect(last[15..<21].allSatisfy { $0 == 107 || $0 == 108 }, "\(last)")
    #expect(last[21...].allSatisfy { $0 == 217 || $0 == 218 }, "\(last)")
    let numbered = try scratch.run("scene", "scene.json", "-o", "%d.y4m")
    #expect(numbered.exitCode == 64 && numbered.errors.contains("a video is one file"))
    try scratch.add("clear.json", Array(scene.replacing("#c00", with: "#c000").utf8))
    let clear = try scratch.run("scene", "clear.json", "-o", "-", "--format", "y4m")
    #expect(clear.exitCode == 64 && clear.errors.contains("a video holds no transparency"))
  }

  @Test func scenesHaveTwoAppearances() throws {
    let scratch = try Scratch()
    let scene = """
      {"canvas": {"width": 4, "height": 4,
        "background": {"light": "white", "dark": "rgb(16, 32, 48)"}}}
      """
    try scratch.add("scene.json", Array(scene.utf8))
    for (words, color) in [
      ([], [255, 255, 255]), (["--appearance", "light"], [255, 255, 255]),
      (["--appearance", "dark"], [16, 32, 48]),
    ] as [([String], [UInt8])] {
      let run = try scratch.run(["scene", "scene.json", "-o", "x.png", "--overwrite"] + words)
      #expect(run.exitCode == 0, "\(run)")
      #expect(try Array(image(scratch, "x.png").bytes.prefix(3)) == color)
    }
    let wrong = try scratch.run("scene", "scene.json", "-o", "y.png", "--appearance", "dusk")
    #expect(wrong.exitCode == 64 && wrong.errors.contains("light"), "\(wrong)")
  }

  @Test func framesAreTheStillsOfTheirTimes() throws {
    let scratch = try scratch()
    let all = try scratch.run(
      "scene", "scene.json", "-o", "f/%02d.png", "--fps", "10", "--trace", "t.csv")
    #expect(all.exitCode == 0 && all.errors.isEmpty, "\(all)")
    let names = try FileManager.default.contentsOfDirectory(atPath: scratch / "f").sorted()
    #expect(names.count == 12 && names.first == "01.png")
    for (number, time) in [(1, "0"), (4, "0.3"), (6, "0.5"), (8, "0.7"), (12, "1.1")] {
      let run = try scratch.run(
        "scene", "scene.json", "-o", "still.png", "--time", time, "--overwrite")
      #expect(run.exitCode == 0, "\(run)")
      let name = "f/" + (number < 10 ? "0\(number)" : "\(number)") + ".png"
      let (frame, still) = (try image(scratch, name), try image(scratch, "still.png"))
      #expect(frame.size == Size(width: 120, height: 180))
      #expect(frame.bytes == still.bytes, "frame \(number)")
    }
    let table = try String(contentsOfFile: scratch / "t.csv", encoding: .utf8)
    let lines = table.split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false)
    }
    try #require(lines.count == 13)
    #expect(lines.allSatisfy { $0.count == lines[0].count })
    #expect(lines[0].last == "recomputed")
    // The first frame is computed in full, the next in which nothing moved not at all.
    #expect(lines[1].last == "21600")
    #expect(lines[2].last == "0")
  }

  @Test func animationsAndThePlan() throws {
    let scratch = try scratch()
    let run = try scratch.run("scene", "scene.json", "-o", "a.webp", "--fps", "5", "-v")
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.errors.contains("6 frames of 120×180 on fast"), "\(run)")
    #expect(try StillDecoder().header(of: .file(scratch / "a.webp")).frames == 6)
    let plan = try scratch.run("scene", "scene.json", "--plan", "--time", "0.6")
    #expect(plan.exitCode == 0 && plan.text.contains("Blend masked"), "\(plan)")
    let speed = try scratch.run("scene", "scene.json", "--measure")
    #expect(speed.exitCode == 0 && speed.text.contains("frames per second on fast"), "\(speed)")
  }

  @Test func backendsShowTheSame() throws {
    let scratch = try scratch()
    for backend in ["fast", "reference", "gl"] {
      let run = try scratch.run(
        "scene", "scene.json", "-o", "\(backend).png", "--time", "0.6", "--backend", backend)
      #expect(run.exitCode == 0, "\(run)")
    }
    let reference = try image(scratch, "reference.png")
    for backend in ["fast", "gl"] {
      let comparison = try ImageComparison(try image(scratch, "\(backend).png"), reference)
      #expect(comparison.maximum <= 1, "\(backend)")
    }
  }

  @Test func aSceneMayComeThroughAPipe() throws {
    let scratch = try scratch()
    let run = try scratch.shell(
      """
      cat scene.json | "$frostglass" scene - -o piped.png --time 0.3 &&
        "$frostglass" scene scene.json -o file.png --time 0.3 && cmp piped.png file.png
      """)
    #expect(run.exitCode == 0 && run.errors.isEmpty, "\(run)")
    let wrong = try scratch.shell("echo '{' | \"$frostglass\" scene - -o x.png")
    #expect(wrong.exitCode == 65 && wrong.explains(["standard input:2:1: "]), "\(wrong)")
  }

  @Test func aSceneThatIsNotUTF8SaysWhere() throws {
    let scratch = try scratch()
    var bytes = Array(Self.scene.utf8)
    let place = try #require(bytes.firstIndex(of: UInt8(ascii: "H")))
    bytes[place] = 0xE9
    try scratch.add("bad.json", bytes)
    let run = try scratch.run("scene", "bad.json", "-o", "x.webp")
    #expect(run.exitCode == 65 && run.explains(["bad.json:10:41: ", "UTF-8"]), "\(run)")
    try scratch.add("marked.json", Array(("\u{FEFF}" + Self.scene).utf8))
    #expect(try scratch.run("scene", "marked.json", "-o", "x.png", "--time", "0").exitCode == 0)
  }

  @Test(
    arguments: [
      (["missing.json", "-o", "x.png"], 66, ["missing.json", "no such file"]),
      (["scene.json", "-o", "x.png"], 64, ["x.png", "1.2", "--time"]),
      (["scene.json", "-o", "x.png", "--time", "3"], 64, ["3.0", "1.2"]),
      (["scene.json", "-o", "x.webp", "--fps", "0"], 64, ["--fps", "0"]),
      (["scene.json", "-o", "%d%d.png"], 64, ["%d%d.png"]),
      (["scene.json", "-o", "in.png", "--time", "0"], 73, ["in.png", "--overwrite"]),
      (["scene.json"], 64, ["-o OUT"]), ([], 64, ["FILE"]),
      (["scene.json", "-o", "x.webp", "--time", "0", "--fps", "4"], 64, ["--time", "--fps"]),
      (["scene.json", "-o", "x.png", "--plan"], 64, ["--plan", "-o", "nothing but the plan"]),
      (["scene.json", "--trace", "t.csv", "--plan"], 64, ["--plan", "--trace"]),
      (["scene.json", "--measure", "--plan"], 64, ["--plan", "--measure"]),
      (["scene.json", "--plan", "--fps", "60"], 64, ["--plan", "--fps", "--time"]),
      (["scene.json", "--trace", "./scene.json", "--overwrite"], 64, ["--trace", "is the scene"]),
      (["scene.json", "--trace", "./in.png", "--overwrite"], 64, ["--trace", "the scene shows"]),
      (
        ["scene.json", "-o", "scene.json", "--format", "png", "--time", "0", "--overwrite"], 64,
        ["-o is scene.json, which is the scene"]
      ),
    ] as [([String], Int32, [String])])
  func mistakesOnTheCommandLine(
    _ words: [String], _ code: Int32, _ parts: [String]
  ) throws {
    let scratch = try scratch()
    let run = try scratch.run(["scene"] + words)
    #expect(run.exitCode == code, "\(run)")
    for part in parts { #expect(run.errors.contains(part), "\(run)") }
    #expect(scratch.names == ["in.png", "scene.json"])
  }

  @Test(
    arguments: [
      ("\"in.png\"", "\"out.png\"", 66, "scene.json:4:26: content.images[0]: out.png: there is no"),
      ("\"Hi\"", "\"Hi\", \"font\": \"No Font\"", 69, ".items[0].font: “Hi”: the font No Font is"),
      (
        "\"Hi\"", "\"H\u{FFFFD}\"", 69,
        ".items[0].text: “H\u{FFFFD}”: no font that is installed has"
      ),
      ("{row}", "{row}\u{FFFFD}", 69, "content.rows.items[0].text: “1\u{FFFFD}”: "),
      (
        "\"duration\": 1.2", "\"durations\": 1", 65,
        "scene.json:3:3: there is no \"durations\" here"
      ),
      ("[0, 0.5, 0]", "[0, 0.6, 0]", 65, "scene.json:9:14: layers[0].snap: "),
      ("blur(3px)", "blurr(3px)", 65, "did you mean"), ("1.2", "1.2.3", 65, "scene.json:3:"),
      (
        "\"text\": \"Hi\", \"size\": 10, \"align\": \"center\"", "\"symbol\": \"wfi\"", 65,
        "layers[0].items[0].symbol: must be airplane"
      ),
      ("blur(3px)", "blur(3000px)", 65, "layers[1].material: blur: radius is 3000px"),
    ] as [(String, String, Int32, String)])
  func mistakesInTheScene(
    _ what: String, _ replacement: String, _ code: Int32, _ message: String
  ) throws {
    let scratch = try scratch()
    try scratch.add("bad.json", Array(Self.scene.replacing(what, with: replacement).utf8))
    let run = try scratch.run("scene", "bad.json", "-o", "x.webp", "--trace", "t.csv")
    #expect(run.exitCode == code, "\(run)")
    #expect(run.errors.contains(message.replacing("scene.json", with: "bad.json")), "\(run)")
    #expect(scratch.names == ["bad.json", "in.png", "scene.json"])
  }

  @Test func transparencyNeedsAFormat() throws {
    let scratch = try scratch()
    let json = """
      {"canvas": {"width": 8, "height": 8, "background": "transparent"}, "layers": [
        {"fill": "rgba(255, 0, 0, 0.6)", "frame": [0, 0, 4, 8]}]}
      """
    try scratch.add("clear.json", Array(json.utf8))
    let refused = try scratch.run("scene", "clear.json", "-o", "x.jpg")
    #expect(refused.exitCode == 64 && refused.errors.contains("canvas.background"), "\(refused)")
    let run = try scratch.run("scene", "clear.json", "-o", "x.png")
    #expect(run.exitCode == 0, "\(run)")
    let made = try image(scratch, "x.png")
    #expect(Array(made.bytes[..<4]) == [255, 0, 0, 153])
    #expect(made.bytes[7 * 4 + 3] == 0)
  }

  /// A GIF's pixels are transparent or not, in an image, an animation and numbered files.
  @Test func softEdgesInAGIFAreTold() throws {
    let scratch = try Scratch()
    for (name, alpha, duration) in [("soft", 0.6, 0), ("moving", 0.6, 0.2), ("hard", 1, 0.2)] {
      let json = """
        {"canvas": {"width": 8, "height": 8, "background": "transparent"}, "duration": \(duration), "layers": [
          {"fill": "rgba(255, 0, 0, \(alpha))", "frame": [0, 0, 4, 8]}]}
        """
      try scratch.add("\(name).json", Array(json.utf8))
    }
    for (name, output, isTold) in [
      ("soft", "soft.gif", true), ("moving", "moving.gif", true), ("moving", "n%d.gif", true),
      ("hard", "hard.gif", false), ("moving", "moving.webp", false),
    ] {
      let run = try scratch.run("scene", "\(name).json", "-o", output)
      #expect(run.exitCode == 0, "\(run)")
      let told = "\(output) is a GIF, whose pixels are transparent or not: soft edges became hard"
      #expect(run.errors.contains(told) == isTold, "\(run)")
    }
  }
}
