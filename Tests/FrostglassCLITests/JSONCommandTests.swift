import FrostglassCore
import FrostglassStills
import TestSupport
import Testing

/// `--json`, `--quiet` and `--dry-run`: docs/integrate/json.md word for word.
@Suite struct JSONCommandTests {
  /// The page's example for a command, or for errors.
  private func example(_ name: String) throws -> JSONValue {
    let page = try #require(Files.text(of: "\(Files.root)/docs/integrate/json.md"))
    let blocks = page.split(separator: "```json ").dropFirst()
    let block = blocks.first { block in
      block.prefix { $0 != "\n" }.split(separator: " ").contains { $0 == name }
    }
    let text = try #require(block, "no example of \(name)").drop { $0 != "\n" }
    return try JSONValue(text: String(text.split(separator: "\n```")[0]))
  }

  /// Returns the differences from the example: missing keys, additional keys, and values of another kind.
  private func differences(_ value: JSONValue, from example: JSONValue, at path: String) -> [String]
  {
    switch (value.content, example.content) {
    case (.null, _), (_, .null): return []
    case (.object(let members), .object(let known)):
      // Its keys are labels.
      if path.hasSuffix(".labels") { return [] }
      // Ranges and choices are those of the parameter's kind.
      let optional: Set = ["minimum", "maximum", "choices"]
      let missing = known.map(\.name).filter { name in
        !optional.contains(name) && !members.contains { $0.name == name }
      }
      return missing.map { "\(path).\($0) is missing" }
        + members.flatMap { member in
          known.first { $0.name == member.name }.map {
            differences(member.value, from: $0.value, at: "\(path).\(member.name)")
          } ?? ["\(path).\(member.name) is not documented"]
        }
    case (.array(let list), .array(let known)):
      return list.flatMap { differences($0, from: known[0], at: "\(path)[]") }
    default: return value.kind == example.kind ? [] : ["\(path) is \(value.kind)"]
    }
  }

  private func value(_ text: String) throws -> JSONValue { try JSONValue(text: text) }

  private func expect(_ run: CommandRun, isAs name: String, _ exitCode: Int32 = 0) throws {
    #expect(run.exitCode == exitCode, "\(run)")
    #expect(exitCode != 0 || run.errors.isEmpty, "\(run)")
    for line in name == "placeholder"
      ? run.text.split(separator: "\n").map(String.init) : [run.text]
    {
      let found = differences(try value(line), from: try example(name), at: name)
      #expect(found.isEmpty, "\(found)\n\(run)")
    }
  }

  private func scratch() throws -> Scratch {
    let scratch = try Scratch()
    for name in ["a.png", "b.png", "c.png"] {
      try scratch.add(name, SampleImage.noise(width: 40, height: 30))
    }
    try scratch.add(
      "rows.csv",
      Array(
        """
        image,label,score,x,y,w,h
        a.png,face,0.9,4,4,8,8
        a.png,face,0.2,20,4,8,8
        b.png,plate,0.7,10,6,8,8

        """.utf8))
    try scratch.add("keys", Array("k1:0123456789abcdef0123456789abcdef\n".utf8))
    return scratch
  }

  private static let scene = "\(CommandRun.package)/Examples/scenes/square-cash.json"
  private static let commands: [(command: String, words: [String])] = [
    ("blur", ["a.png", "out.png", "--sigma", "2", "--also", "dark() -> other.jpg", "--verbose"]),
    ("blur", ["a.png", "b.png", "--out-dir", "out", "--sigma", "2"]),
    ("redact", ["a.png", "out.png", "--regions", "rows.csv", "--fill", "mosaic"]),
    ("fill", ["a.png", "out.jpg", "--size", "20x40"]),
    ("fill", ["a.png", "--out-dir", "o", "--size", "9x9"]), ("plan", ["a.png", "--sigma", "2"]),
    ("compare", ["a.png", "--sigma", "2", "--backend", "fast"]), ("compare", ["a.png", "a.png"]),
    ("scene", [scene, "-o", "x.png", "--time", "1"]), ("doctor", []), ("filters", []),
    ("filters", ["blur"]), ("placeholder", ["a.png", "b.png"]),
    ("sign", ["--keys", "keys", "/v1/pictures/a.jpg?sigma=10"]),
  ]

  @Test(arguments: commands)
  func eachCommandsJSONHasTheDocumentedKeys(_ command: String, _ words: [String]) throws {
    let scratch = try scratch()
    try expect(try scratch.run([command] + words + ["--json"]), isAs: command)
    // Dry runs say the same, and leave nothing behind.
    guard ["blur", "redact", "fill", "scene"].contains(command) else { return }
    let other = try self.scratch()
    let before = other.names
    try expect(try other.run([command] + words + ["--json", "--dry-run"]), isAs: command)
    #expect(other.names == before)
    let words = try other.run([command] + words + ["--dry-run"])
    #expect(words.exitCode == 0 && words.text.hasPrefix("would write "), "\(words)")
    #expect(other.names == before)
  }

  @Test func tracksHaveTheDocumentedKeys() throws {
    let scratch = try Scratch()
    try scratch.add("t.csv", Array("frame,x,y,w,h,id\n0,1,2,3,4,1\n5,6,2,3,4,1\n".utf8))
    try expect(try scratch.run("tracks", "t.csv", "--json"), isAs: "tracks")
    try expect(try scratch.run("tracks", "t.csv", "t.mot", "--to", "mot", "--json"), isAs: "tracks")
  }

  @Test(.enabled(if: FindModels.areThere, "\(FindModels.advice)"))
  func foundFacesHaveTheDocumentedKeys() throws {
    let words = ["find", FindModels.face, "out.json", "--find-effort", "thorough", "--json"]
    try expect(try Scratch().run(words), isAs: "find")
  }

  /// Words of a command with its exit code.
  private static let wrong: [(words: String, exitCode: Int32)] = [
    ("blur none.png out.png --sigma 2", 66), ("blur --sgima 2", 64),
    ("redact a.png out.png --region 90,90,5,5", 65), ("compare a.png", 64),
    ("blur a.png - --sigma 2", 64), ("plan none.png --sigma 2", 66),
    ("scene none.json -o x.png", 66), ("placeholder none.png", 66), ("filters blurr", 64),
    ("sign /v1", 64), ("blur a.png out.png --sigma 2 --quiet", 64),
  ]

  @Test(arguments: wrong)
  func errorsAreAnObject(_ words: String, _ exitCode: Int32) throws {
    let run = try scratch().run(words.split(separator: " ").map(String.init) + ["--json"])
    #expect(run.exitCode == exitCode && run.output.isEmpty, "\(run)")
    let error = try value(run.errors)
    #expect(differences(error, from: try example("error"), at: "error").isEmpty, "\(run)")
    #expect(run.errors.contains("\"exitCode\":\(exitCode),"), "\(run)")
  }

  /// libjxl writes to standard error of its own accord, of all but few damaged files.
  @Test func decodersAddNothingToErrors() throws {
    let scratch = try Scratch()
    let file = try StillEncoder().encode(TestImages.noise(64, 48), as: .jxl)
    for place in stride(from: 16, to: 116, by: 10) {
      var damaged = file
      damaged[place] ^= 0x5A
      damaged[place + 3] ^= 0x33
      try scratch.add("bad\(place).jxl", damaged)
      let words = ["blur", "bad\(place).jxl", "out.png", "--sigma", "2", "--overwrite"]
      let run = try scratch.run(words + ["--json"])
      let lines = run.errors.split(separator: "\n")
      #expect(lines.count == (run.exitCode == 0 ? 0 : 1), "\(place): \(run)")
      #expect(lines.allSatisfy { $0.hasPrefix("{") }, "\(place): \(run)")
      let said = try scratch.run(words)
      #expect(said.errors.split(separator: "\n").count == lines.count, "\(place): \(said)")
    }
  }

  /// Arguments with an image `n` and tracks `t`, each name followed by a byte that is not UTF-8.
  private static let strange: [(words: String, members: [String])] = [
    ("placeholder n$byte.png", [#""file":"n\udcff.png""#]),
    ("compare a.png n$byte.png", [#""first":"a.png","second":"n\udcff.png""#]),
    ("compare n$byte.png a.png", [#""first":"n\udcff.png","second":"a.png""#]),
    ("scene scene.json -o o$byte.png", [#""output":"o\udcff.png""#]),
    ("tracks t$byte.csv u$byte.json", [#""input":"t\udcff.csv","output":"u\udcff.json""#]),
  ]

  /// As in Python's names of files.
  @Test(arguments: strange)
  func aByteThatIsNoUTF8IsHalfACharacter(_ words: String, _ members: [String]) throws {
    let scratch = try scratch()
    try scratch.add("scene.json", Array(#"{"canvas": {"width": 4, "height": 4}}"#.utf8))
    try scratch.add("tracks.csv", Array("frame,x,y,w,h,id\n0,1,2,3,4,1\n".utf8))
    let run = try scratch.shell(
      """
      byte=$(printf '\\377')
      cp a.png "n$byte.png"; cp tracks.csv "t$byte.csv"
      "$frostglass" \(words) --json
      """)
    #expect(run.exitCode == 0 && run.errors.isEmpty, "\(run)")
    #expect(String(validating: run.output, as: UTF8.self) != nil, "\(run)")
    for member in members { #expect(run.text.contains(member), "\(run)") }
  }

  @Test func aBatchSaysWhatBecameOfEachImage() throws {
    let scratch = try scratch()
    try scratch.add("bad.png", Array("no image".utf8))
    let words = [
      "redact", "a.png", "b.png", "c.png", "bad.png", "--out-dir", "out", "--regions", "rows.csv",
      "--min-score", "0.5", "--region", "1,1,3,3", "--json",
    ]
    try scratch.add(
      "rows.csv",
      scratch.contents("rows.csv") + Array("bad.png,face,0.8,1,1,5,5\n".utf8))
    let dry = try scratch.run(words + ["--dry-run"])
    try expect(dry, isAs: "redact", 65)
    #expect(!scratch.names.contains("out/"))
    let run = try scratch.run(words + ["--report", "rows.jsonl"])
    try expect(run, isAs: "redact", 65)
    let report = String(decoding: try scratch.contents("rows.jsonl"), as: UTF8.self)
    for (name, status) in [("a", "done"), ("b", "done"), ("c", "uncovered"), ("bad", "failed")] {
      let row = "{\"input\":\"\(name).png\",\"output\":\"out/\(name).png\",\"status\":\""
      #expect(run.text.contains(row + status), "\(run)")
      // There paths are those below the directory.
      #expect(report.contains(row.replacing("out/", with: "") + status), "\(report)")
      #expect(dry.text.contains(row + (status == "done" ? "planned" : status)), "\(dry)")
    }
    #expect(
      run.text.contains(
        #""covered":{"regions":4,"pictures":2,"labels":{"face":1,"plate":1}}"#), "\(run)")
    #expect(run.text.contains(#""leftOut":{"byScore":1,"byLabel":0},"seconds""#), "\(run)")
    let again = try scratch.run(words + ["--resume"])
    #expect(again.text.contains(#""output":"out/a.png","status":"skipped""#), "\(again)")
    // The failures are on standard error, as one object.
    #expect(try value(run.errors).kind == "an object")
  }

  @Test func quietSaysNothingButErrors() throws {
    let scratch = try scratch()
    let runs = [
      ["redact", "a.png", "x.png", "--region", "1,1,5,5", "--fill", "blur"],
      ["redact", "a.png", "b.png", "--out-dir", "out", "--regions", "rows.csv"],
      ["blur", "a.png", "y.png", "--sigma", "2", "--verbose"], ["compare", "a.png", "a.png"],
    ]
    for words in runs {
      let run = try scratch.run(words + ["-q"])
      #expect(run.exitCode == 0 && run.output.isEmpty && run.errors.isEmpty, "\(run)")
    }
    let different = try scratch.run("compare", "a.png", "b.png", "--quiet")
    #expect(different.exitCode == 1 && different.errors.isEmpty, "\(different)")
    let failed = try scratch.run(
      "blur", "a.png", "none.png", "--out-dir", "o", "--sigma", "2", "-q")
    #expect(failed.exitCode == 65 && failed.errors.contains("none.png"), "\(failed)")
    #expect(!failed.errors.contains("done"), "\(failed)")
  }

  /// The same of commands that fail before they decode anything.
  private static let early: [(words: String, exitCode: Int32)] = [
    ("blur a.png b.png --sigma 2", 73), ("blur a.png x.xyz --sigma 2", 64),
    ("blur a.png no/x.png --sigma 2", 73), ("fill a.png b.png --size 9x9", 73),
    ("blur a.png x.png --sigma 2 --max-pixels 10", 65),
    ("redact a.png x.png --region 90,90,5,5", 65),
    ("blur a.png b.png --out-dir a.png --sigma 2", 73),
    ("blur a.png b.png --out-dir a.png/deeper --sigma 2", 73),
    ("blur a.png --out-dir . --sigma 2", 65),
  ]

  /// Errors that a run finds early are found in a dry run, with the same exit code.
  @Test(arguments: early)
  func aDryRunFailsAsTheRunWould(_ line: String, _ exitCode: Int32) throws {
    let words = line.split(separator: " ").map(String.init)
    let scratch = try scratch()
    let before = scratch.names
    let dry = try scratch.run(words + ["--dry-run"])
    #expect(dry.exitCode == exitCode, "\(dry)")
    #expect(scratch.names == before)
    #expect(try scratch.run(words).exitCode == exitCode)
  }
}
