import FrostglassStills
import Testing

/// Words on the command line that cannot be meant: 64, a sentence, nothing touched.
@Suite struct UsageTests {
  struct Wrong: Sendable, CustomTestStringConvertible {
    var arguments: [String]
    var words: [String]
    var testDescription: String { arguments.joined(separator: " ") }

    init(_ arguments: String..., says words: String...) {
      self.arguments = arguments
      self.words = words
    }

    /// `blur in.png out.png` and more.
    static func blur(_ arguments: String..., says words: String...) -> Wrong {
      var wrong = Wrong()
      wrong.arguments = ["blur", "in.png", "out.png"] + arguments
      wrong.words = words
      return wrong
    }
  }

  static let cases: [Wrong] = [
    .blur("--sigma", "-1", says: "--sigma", "-1", "0 to 1000"),
    .blur("--sigma", "nan", says: "nan", "0 to 1000"),
    .blur("--sigma", "inf", says: "inf", "0 to 1000"),
    .blur("--sigma", "1e9", says: "1e9", "0 to 1000"),
    .blur("--sigma", "1001", says: "1001", "0 to 1000"),
    .blur("--sigma", "101%", says: "101%", "100%"),
    .blur("--sigma", "", says: "--sigma", "0 to 1000"),
    .blur("--sigma", "much", says: "much", "0 to 1000"),
    .blur("--sigma", "pilow:10", says: "pilow:10", "pillow:N", "opencv:KSIZE"),
    .blur("--sigma", says: "--sigma", "--help"),
    .blur(says: "--sigma", "--style", "--filter"),
    .blur("--sigma", "2", "--intensity", "1", says: "--intensity", "--style"),
    .blur("--style", "light", "--intensity", "1.5", says: "1.5", "0 to 1"),
    .blur("--style", "light", "--intensity", "half", says: "half", "0% to 100%"),
    .blur(
      "--sigma", "2", "--also", "-> a.json", "--save-preset", "./a.json", says: "--save-preset"),
    Wrong(
      "compare", "in.png", "other.png", "--difference", "other.png", "--overwrite",
      says: "--difference is other.png", "take another file"),
    Wrong(
      "blur", "in.mp4", "out.mp4", "--sigma", "2",
      says: "`frostglass video in.mp4 out.mp4` blurs videos"),
    .blur("--sigm", "2", says: "--sigm", "did you mean --sigma"),
    .blur("--sigma", "2", "--frobnicate", says: "--frobnicate", "--help"),
    .blur("--sigma", "2", "-x", says: "-x", "--help"),
    Wrong("blur", "-x.jpg", "out.png", "--sigma", "2", says: "no option -x.jpg", "./-x.jpg"),
    .blur("--filter", "blur(4px); saturate(2)", says: "no ; between them", "column 12"),
    .blur("--sigma", "2", "--background", "wite", says: "did you mean white"),
    Wrong(
      "fill", "in.png", "out.png", "--aspect", "1:1", "--sigma", "pilow:1", says: "pilow:1",
      "pillow:N"),
    .blur("--sigma", "2", "--strip=yes", says: "--strip", "no value"),
    .blur("--filter", "blr(2px)", says: "blr", "did you mean blur"),
    .blur("--filter", "blur(2px", says: "parenthesis", "blur"),
    .blur("--filter", "", says: "empty", "blur(20px)"),
    .blur("--filter", "blur(-2px)", says: "-2px", "0 to 1000"),
    .blur("--filter", "blur(2000px)", says: "2000px", "0 to 1000"),
    .blur("--filter", "gaussian(z=2)", says: "z", "gaussian"),
    .blur("--filter", "filter: blur(1rem)", says: "1rem", "fonts", "column 14"),
    .blur("--filter", "a { filter: none }", says: "braces", "column 3"),
    .blur("--filter", "blur(2px)", "--sigma", "2", says: "--sigma", "--filter"),
    .blur("--filter", "blur(2px)", "--style", "dark", says: "--style", "--filter"),
    .blur("--style", "drak", says: "drak", "did you mean dark"),
    .blur("--style", "blur", says: "no style blur", "dark"),
    .blur("--style", "dark", "--scale", "0", says: "--scale", "0.001"),
    .blur("--sigma", "2", "--edge", "clam", says: "clam", "did you mean clamp"),
    .blur("--sigma", "2", "--quality", "good", says: "good", "exact, fast"),
    .blur("--sigma", "2", "--backend", "gpu", says: "gpu", "auto", "gl", "fast", "reference"),
    .blur("--sigma", "2", "--format", "psd", says: "psd", "PNG"),
    .blur("--sigma", "2", "--output-quality", "0", says: "0", "1 to 100"),
    .blur("--sigma", "2", "--output-quality", "101", says: "101", "1 to 100"),
    .blur("--sigma", "2", "--profile", "p3", says: "p3", "srgb", "keep"),
    .blur("--sigma", "2", "--background", "nocolor", says: "nocolor", "CSS color"),
    .blur("--sigma", "2", "--background", "transparent", says: "transparent", "opaque"),
    .blur("--sigma", "2", "--max-pixels", "0", says: "--max-pixels", "1 or more"),
    .blur("third.png", "--sigma", "2", says: "3 names", "--out-dir"),
    Wrong("blur", "in.png", "--sigma", "2", says: "OUTPUT", "needed"),
    Wrong("blur", "--sigma", "2", says: "INPUT", "needed"),
    Wrong("blur", "in.png", "out", "--sigma", "2", says: "extension", "PNG"),
    Wrong("blur", "in.png", "out.psd", "--sigma", "2", says: "psd", "PNG"),
    Wrong("blur", "--out-dir", ".", "--sigma", "2", says: "no INPUT"),
    Wrong("blur", "-", "--out-dir", ".", "--sigma", "2", says: "standard input", "name"),
    Wrong(
      "blur", "in.png", "--out-dir", "o", "--sigma", "2", "--resume", "--overwrite",
      says: "--resume", "--overwrite", "exclude"),
    .blur("--sigma", "2", "--resume", says: "--resume", "--out-dir"),
    .blur("--sigma", "2", "--recursive", says: "--recursive", "--out-dir"),
    .blur("--sigma", "2", "--memory", "much", says: "--memory is much", "K, M, G or T"),
    .blur("--sigma", "2", "--threads", "0", says: "--threads is 0", "1 to 1024"),
    Wrong("blur", ".", "--out-dir", "o", "--sigma", "2", says: "directory", "--recursive"),
    Wrong("blur", ".", "--out-dir", ".", "--recursive", "--sigma", "2", says: "both INPUT and"),
    Wrong("blur", "in.png", "--out-dir", "", "--sigma", "2", says: "--out-dir is empty"),
    Wrong("plan", "--sigma", "2", says: "INPUT", "plan --help"),
    Wrong("plan", "in.png", says: "--sigma", "--style"),
    Wrong("compare", "--sigma", "2", says: "INPUT", "compare --help"),
    Wrong("compare", "in.png", "--sigma", "2", "--with", "me", says: "me", "reference", "truth"),
    Wrong("compare", "in.png", "--sigma", "2", "--tolerance", "-1", says: "-1", "0"),
    .blur("--sigma", "2", "--region", "1,2,3", says: "--region", "x, y, width, height"),
    .blur("--sigma", "2", "--region", "elipse(1,2,3,4)", says: "did you mean ellipse"),
    .blur("--sigma", "2", "--region", "", says: "--region", "empty"),
    .blur("--sigma", "2", "--feather", "3", says: "--feather needs", "--region"),
    .blur("--sigma", "2", "--invert", says: "--invert needs", "--mask"),
    .blur("--sigma", "2", "--region", "1,1,5,5", "--feather", "-1", says: "-1", "0 or more"),
    .blur("--sigma", "2", "--region", "1,1,5,5", "--grow", "x", says: "--grow is x", "pixels"),
    .blur("--sigma", "2", "--region", "1,1,5,5", "--mask-channel", "red", says: "--mask FILE"),
    .blur(
      "--sigma", "2", "--region", "1,1,5,5", "--mask-use", "shw", says: "did you mean show"),
    Wrong(
      "compare", "in.png", "--sigma", "2", "--truth", "--region", "1,1,5,5", says: "truth",
      "no regions"),
    Wrong("redact", "in.png", "out.png", says: "nothing to redact", "--region"),
    Wrong("redact", "in.png", "--region", "1,1,5,5", says: "INPUT and OUTPUT"),
    Wrong(
      "redact", "in.png", "out.png", "--region", "1,1,5,5", "--fill", "frost",
      says: "did you mean frosted"),
    Wrong(
      "redact", "in.png", "out.png", "--region", "1,1,5,5", "--color", "red",
      says: "--color is for --fill solid"),
    Wrong(
      "redact", "in.png", "out.png", "--region", "1,1,5,5", "--fill", "mosaic", "--sigma", "3",
      says: "--sigma is for --fill blur"),
    Wrong(
      "redact", "in.png", "out.png", "--region", "1,1,5,5", "--grow", "-2", says: "grow is -2px"),
    Wrong(
      "redact", "in.png", "out.png", "--region", "gradient(0 0, 9 9)", says: "a gradient", "visible"
    ),
    Wrong(
      "redact", "in.png", "out.png", "--region", "1,1,5,5", "--audit-time", says: "--audit FILE"),
    Wrong(
      "redact", "in.png", "out.png", "--region", "1,1,5,5", "--audit-no-input-digest",
      says: "--audit FILE"),
    Wrong("filters", "saturat", says: "saturat", "did you mean saturate"),
    Wrong("doctor", "who", says: "no arguments"),
    Wrong("blr", says: "blr", "did you mean blur", "--help"),
    Wrong("zzz", says: "zzz", "--help"),
    Wrong("help", "blr", says: "blr", "did you mean blur", "--help"),
  ]

  @Test(arguments: cases) func isExplained(_ wrong: Wrong) throws {
    let scratch = try Scratch()
    try scratch.add("in.png", SampleImage.file())
    let run = try scratch.run(wrong.arguments)
    #expect(run.exitCode == 64, "\(run)")
    #expect(run.explains(wrong.words), "\(run)")
    #expect(scratch.names == ["in.png"])
  }

  @Test func nothingAtAllGetsTheOverview() throws {
    let run = try Scratch().run()
    #expect(run.exitCode == 64, "\(run)")
    #expect(run.output.isEmpty)
    #expect(run.errors.contains("Usage: frostglass COMMAND"))
  }
}
