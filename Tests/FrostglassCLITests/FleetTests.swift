import FrostglassStills
import Testing

/// A list of images, done in parts.
@Suite struct FleetTests {
  private let scratch: Scratch
  /// Each different from the others; one is broken.
  private static let names =
    (1...9).map { "p\($0).png" } + ["new\nline.png", "deep/er/a.png", "broken.jpg", "{brace.png"]

  init() throws {
    scratch = try Scratch()
    try scratch.addFolder("in")
    try scratch.addFolder("in/deep")
    try scratch.addFolder("in/deep/er")
    for (index, name) in Self.names.enumerated() {
      try scratch.add(
        "in/\(name)",
        name.hasPrefix("broken")
          ? Array("words".utf8) : SampleImage.noise(width: 20 + index, height: 15))
    }
    let strange = try scratch.shell("cp in/p1.png \"$(printf 'in/by\\377te.png')\"")
    #expect(strange.exitCode == 0, "\(strange)")
  }

  private var list: String {
    let lines = Self.names.map { name in
      "{\"input\": \"in/\(name.replacing("\n", with: "\\n"))\"}"
    }
    // An image under another name, one that is there twice, a path as it is, a byte that is no UTF-8.
    let others = [
      "{\"label\": 7, \"output\": \"other/key.webp\", \"input\": \"in/p1.png\"}", lines[3], "",
      "in/p4.png", "\"in/by\\udcffte.png\"\r",
    ]
    return (lines + others).joined(separator: "\n")
  }

  private func run(_ options: String...) throws -> CommandRun {
    try scratch.run(["blur", "--sigma", "2", "--from", "list.jsonl"] + options)
  }

  /// Names and contents of all files below a folder, in one text.
  private func files(_ folder: String) throws -> String {
    let names = "find . -type f -print0 | sort -z"
    return try scratch.shell("cd \(folder) && \(names) | xargs -0 sha256sum -z | base64").text
  }

  private func rows(_ pattern: String) throws -> [String] {
    try scratch.shell("cat \(pattern)").text.split(separator: "\n").map { String($0) }.sorted()
  }

  @Test func partsMakeTheWhole() throws {
    try scratch.add("list.jsonl", Array(list.utf8))
    let whole = try run("--out-dir", "whole", "--report", "whole.jsonl")
    #expect(whole.exitCode == 65 && whole.errors.contains("\n14 done, 1 failed in "), "\(whole)")
    #expect(whole.errors.contains("in/broken.jpg: this is not an image"), "\(whole)")
    let expected = try files("whole")
    #expect(try scratch.picture("whole/other/key.webp").format == .webp)
    #expect(try scratch.shell("test -f \"$(printf 'whole/in/by\\377te.png')\"").exitCode == 0)
    for count in [3, 40] {
      var codes: Set<Int32> = []
      for index in 1...count {
        let part = try run(
          "--out-dir", "parts\(count)", "--shard", "\(index)/\(count)", "--report",
          "parts\(count)-\(index).jsonl")
        codes.insert(part.exitCode)
      }
      #expect(codes == [0, 65])
      #expect(try files("parts\(count)") == expected)
      #expect(try rows("parts\(count)-*.jsonl") == rows("whole.jsonl"))
    }
  }

  /// Rows of what is done stay, what failed is tried again, half a line goes.
  @Test func aReportIsTakenUpAndIsAList() throws {
    try scratch.add("list.jsonl", Array(list.utf8))
    #expect(try run("--out-dir", "out", "--report", "r.jsonl").exitCode == 65)
    let first = try rows("r.jsonl")
    #expect(first.count == 15 && first.filter { $0.contains("\"status\":\"failed\"") }.count == 1)
    try scratch.add("r.jsonl", scratch.contents("r.jsonl") + Array("{\"input\":\"in/p1".utf8))
    _ = try scratch.shell("rm out/in/p2.png")
    #expect(try run("--out-dir", "out", "--resume", "--report", "r.jsonl").exitCode == 65)
    #expect(try rows("r.jsonl") == first)
    // Without a report of its own what is there is said to be there.
    #expect(try run("--out-dir", "out", "--resume", "--report", "s.jsonl").exitCode == 65)
    #expect(try rows("s.jsonl").filter { $0.contains("\"status\":\"skipped\"") }.count == 14)

    try scratch.add("in/broken.jpg", SampleImage.file(.jpeg))
    _ = try scratch.shell("grep '\"status\":\"failed\"' r.jsonl > again.jsonl")
    let again = try scratch.run(
      "blur", "--sigma", "2", "--from", "again.jsonl", "--out-dir", "out")
    #expect(again.exitCode == 0 && again.errors.contains("1 done in "), "\(again)")
    #expect(try scratch.picture("out/in/broken.jpg").format == .jpeg)

    let kept = try scratch.contents("r.jsonl")
    let there = try run("--out-dir", "other", "--report", "r.jsonl")
    #expect(there.exitCode == 73 && there.explains(["r.jsonl", "exists"]), "\(there)")
    try scratch.add("words.txt", Array("no report\n".utf8))
    let words = try run("--out-dir", "other", "--resume", "--report", "words.txt")
    #expect(words.exitCode == 64 && words.explains(["words.txt", "line 1"]), "\(words)")
    #expect(try scratch.contents("r.jsonl") == kept)
  }

  @Test(arguments: [
    ("{\"input\": \"in/p1.png\"", "line 2: column "),
    ("{\"output\": \"a.png\"}", "there is no input"),
    ("{\"input\": 7}", "input is a number; it must be a path"),
    ("{\"input\": \"in/p1.png\", \"output\": \"\"}", "output is a string; it must be a path"),
    ("{\"input\": \"in/p1.png\", \"output\": \"../a.png\"}", "would leave --out-dir"),
    ("{\"input\": \"in/p1.png\", \"output\": \"a/../../b.png\"}", "would leave --out-dir"),
    ("{\"input\": \"in/p1.png\", \"output\": \"/tmp/a.png\"}", "would leave --out-dir"),
    // To a string this slash is one character with its accent, to the system it is a slash.
    ("{\"input\": \"in/p1.png\", \"output\": \"../\\u0301a.png\"}", "would leave --out-dir"),
    ("../in/p1.png", "give it an output"),
    ("{\"input\": \"in/p1.png\", \"output\": \"a/\"}", "is no file"),
    ("{\"input\": \"in/p1.png\", \"output\": \"a/.\"}", "is no file"),
    ("{\"input\": \"in/p1.png\", \"output\": \"a\\u0000.png\"}", "a character that no path has"),
    ("{\"input\": \"in/p1.png\", \"output\": \"in/p3.png\"}", "lines 1 and 2: in/p3.png and"),
  ])
  func whatCannotBeMeantIsRefusedFirst(_ line: String, _ words: String) throws {
    try scratch.add("list.jsonl", Array("in/p3.png\n\(line)\n".utf8))
    let run = try run("--out-dir", "out")
    #expect(run.exitCode == 65, "\(run)")
    #expect(run.errors.contains("list.jsonl, line") && run.errors.contains(words), "\(run)")
    #expect(!scratch.names.contains("out/"))
  }

  @Test func partsAreOfLists() throws {
    try scratch.add("list.jsonl", Array("in/p1.png\n".utf8))
    for (arguments, words) in [
      (["in/p1.png", "--out-dir", "o", "--shard", "1/2"], ["--shard", "--from"]),
      (["in/p1.png", "o.png", "--from", "list.jsonl"], ["--from", "--out-dir"]),
      (["in/p1.png", "--from", "list.jsonl", "--out-dir", "o"], ["--from", "in/p1.png"]),
      (["--from", "list.jsonl", "--out-dir", "o", "--recursive"], ["--recursive", "--from"]),
      (["--from", "list.jsonl", "--out-dir", "o", "--shard", "0/4"], ["--shard is 0/4", "3/64"]),
      (["--from", "list.jsonl", "--out-dir", "o", "--shard", "5/4"], ["--shard is 5/4", "3/64"]),
      (
        ["--from", "list.jsonl", "--out-dir", "o", "--shard", "half"], ["--shard is half", "3/64"]
      ),
    ] {
      let run = try scratch.run(["blur", "--sigma", "2"] + arguments)
      #expect(run.exitCode == 64 && run.explains(words), "\(run)")
    }
    let missing = try scratch.run(
      "blur", "--sigma", "2", "--from", "none.jsonl", "--out-dir", "o")
    #expect(missing.exitCode == 66 && missing.explains(["none.jsonl"]), "\(missing)")
  }

  /// A name may end so, and then the file is there.
  @Test func namesThatEndWithACarriageReturnAreAskedAbout() throws {
    try scratch.add("list.txt", Array("in/p1.png\r\nin/p2.png\r\n".utf8))
    let words = [
      "blur", "--sigma", "2", "--from", "list.txt", "--out-dir", "out", "--format", "png",
    ]
    let run = try scratch.run(words)
    #expect(run.exitCode == 65, "\(run)")
    #expect(
      run.errors.contains("ends with a carriage return (is this list from Windows?)"), "\(run)")
    for name in ["in/p1.png", "in/p2.png"] {
      try scratch.add(name + "\r", scratch.contents(name))
    }
    let there = try scratch.run(words)
    #expect(there.exitCode == 0 && there.errors.contains("2 done in "), "\(there)")
  }

  /// Lists of paths as `find` writes them; a dry run writes neither images nor a report.
  @Test func standardInputIsAList() throws {
    let dry = try scratch.shell(
      "ls in/p*.png | $frostglass blur --sigma 2 --from - --out-dir out --report r --dry-run")
    #expect(dry.exitCode == 0 && dry.text.contains("would write out/in/p3.png"), "\(dry)")
    #expect(!scratch.names.contains("out/") && !scratch.names.contains("r"))
    let run = try scratch.shell(
      "ls in/p*.png | $frostglass redact --region 2,2,5,5 --from - --out-dir out --report r")
    #expect(run.exitCode == 0, "\(run)")
    #expect(try rows("r").count == 9)
  }

  /// Also where they are of one image.
  @Test func eachOutputOfAListHasItsRow() throws {
    let outputs = ["x.png", "y.png", "broken/z.jpg"]
    let inputs = ["in/p1.png", "in/p1.png", "in/broken.jpg"]
    let lines = zip(inputs, outputs).map { "{\"input\": \"\($0)\", \"output\": \"\($1)\"}" }
    try scratch.add("list.jsonl", Array(lines.joined(separator: "\n").utf8))
    let run = try run("--out-dir", "out", "--json")
    #expect(run.exitCode == 65, "\(run)")
    #expect(run.text.ranges(of: "\"status\":\"done\"").count == 2, "\(run)")
    #expect(run.text.ranges(of: "\"status\":\"failed\"").count == 1, "\(run)")
    #expect(!run.text.contains("skipped\""), "\(run)")
    for name in outputs { #expect(run.text.ranges(of: "\"out/\(name)\"").count == 1, "\(run)") }
  }
}
