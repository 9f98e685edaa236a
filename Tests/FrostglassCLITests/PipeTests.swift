import FrostglassStills
import Testing

/// Standard input and output, and destinations that are no files.
@Suite struct PipeTests {
  struct Line: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var format: StillFormat

    init(_ script: String, _ format: StillFormat = .png) {
      testDescription = script
      self.format = format
    }
  }

  /// Each leaves an image in `out`.
  static let lines = [
    Line("cat in.png | \"$frostglass\" blur - - --sigma 2 | cat > out"),
    Line("\"$frostglass\" blur - out.png --sigma 2 < in.png; mv out.png out"),
    Line("\"$frostglass\" blur in.png - --sigma 2 > out"),
    Line("\"$frostglass\" blur - p.png --sigma 2 --json < in.png > /dev/null; mv p.png out"),
    Line("\"$frostglass\" fill - p.png --size 24x16 --json < in.png > /dev/null; mv p.png out"),
    Line(
      "\"$frostglass\" redact - p.png --region 0,0,4,4 --review r.png --json < in.png > /dev/null"
        + "; mv p.png out"),
    Line("\"$frostglass\" blur in.png - --sigma 2 --format jpg > out", .jpeg),
    Line("\"$frostglass\" blur in.png - --sigma 2 --format webp | cat > out", .webp),
    Line("\"$frostglass\" blur in.jpg - --sigma 2 > out", .jpeg),
    Line("\"$frostglass\" blur in.gif - --sigma 2 > out", .gif),
    Line("\"$frostglass\" blur in.png /dev/stdout --sigma 2 > out"),
    Line("\"$frostglass\" blur in.png /dev/stdout --sigma 2 | cat > out"),
    Line("\"$frostglass\" blur in.png /dev/fd/3 --sigma 2 3> out"),
    Line("mkfifo p.png; cat p.png > out & \"$frostglass\" blur in.png p.png --sigma 2; wait"),
    Line("mkfifo p; cat p > out & \"$frostglass\" blur in.png p --format png --sigma 2; wait"),
    Line("\"$frostglass\" plan - --sigma 2 < in.png > /dev/null && cp in.png out"),
  ]

  @Test(arguments: lines) func flows(_ line: Line) throws {
    let scratch = try Scratch()
    try scratch.add("in.png", SampleImage.file())
    try scratch.add("in.jpg", SampleImage.file(.jpeg))
    try scratch.add("in.gif", SampleImage.gif)
    let run = try scratch.shell(line.testDescription)
    #expect(run.exitCode == 0 && run.errors.isEmpty && run.output.isEmpty, "\(run)")
    #expect(try scratch.picture("out").format == line.format)
    #expect(!scratch.names.contains { $0.contains("frostglass") })
  }

  @Test func aPipeStaysAPipe() throws {
    let scratch = try Scratch()
    try scratch.add("in.png", SampleImage.file())
    let run = try scratch.shell(
      """
      mkfifo p.png; cat p.png > /dev/null &
      "$frostglass" blur in.png p.png --sigma 2; wait; test -p p.png
      """)
    #expect(run.exitCode == 0, "\(run)")
    #expect(scratch.names == ["in.png", "p.png"])
  }

  @Test func standardOutputIsAppendedTo() throws {
    let scratch = try Scratch()
    try scratch.add("in.png", SampleImage.file())
    let run = try scratch.shell(
      "{ printf head; \"$frostglass\" blur in.png /dev/stdout --sigma 2; } > out")
    #expect(run.exitCode == 0, "\(run)")
    #expect(try scratch.contents("out").starts(with: Array("head".utf8) + [0x89, 0x50]))
  }

  @Test(arguments: ["", "this is no picture, only words"])
  func badStandardInputIsNamed(_ words: String) throws {
    let scratch = try Scratch()
    let run = try scratch.shell("printf '\(words)' | \"$frostglass\" blur - out.png --sigma 2")
    #expect(run.exitCode == 65, "\(run)")
    #expect(run.explains(["standard input"]), "\(run)")
    #expect(scratch.names.isEmpty)
  }

  @Test func fullStandardOutputIsReported() throws {
    let scratch = try Scratch()
    try scratch.add("in.png", SampleImage.file())
    let run = try scratch.shell("\"$frostglass\" blur in.png - --sigma 2 > /dev/full")
    #expect(run.exitCode == 73, "\(run)")
    #expect(run.explains(["standard output", "No space left"]), "\(run)")
  }
}
