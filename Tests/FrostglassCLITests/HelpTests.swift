import Testing

/// Help and version go to standard output and need neither an image nor a GPU.
@Suite struct HelpTests {
  static let commands = [
    "blur", "redact", "find", "video", "fill", "placeholder", "plan", "compare", "filters", "bench",
    "doctor",
    "completions", "manual",
  ]

  @Test(arguments: [["--version"], ["-V"]]) func version(_ arguments: [String]) throws {
    let run = try Scratch().run(arguments)
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.text.wholeMatch(of: /frostglass \d+\.\d+\.\d+\n/) != nil, "\(run)")
    #expect(run.errors.isEmpty, "\(run)")
  }

  @Test(arguments: [["--help"], ["-h"], ["help"]]) func overview(_ arguments: [String]) throws {
    let run = try Scratch().run(arguments)
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.errors.isEmpty, "\(run)")
    for command in Self.commands {
      #expect(run.text.contains("\n  \(command) "), "\(command)")
    }
  }

  @Test(arguments: commands) func ofEachCommand(_ command: String) throws {
    let scratch = try Scratch()
    let run = try scratch.run(command, "--help")
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.errors.isEmpty, "\(run)")
    #expect(run.text.contains("Usage:\n  frostglass \(command) "), "\(run)")
    #expect(run.text.contains("--help"), "\(run)")
    #expect(try scratch.run(command, "-h").output == run.output)
    #expect(try scratch.run("help", command).output == run.output)
  }

  @Test(arguments: [60, 80, 100]) func optionsFitAndHaveHeadings(_ columns: Int) throws {
    let run = try Scratch().run(["blur", "--help"], environment: ["COLUMNS": "\(columns)"])
    let lines = run.text.split(separator: "\n", omittingEmptySubsequences: false)
    let end = try #require(lines.firstIndex { $0.contains("--help") })
    let options = lines[...end]
    // How it is called stands on a line of its own, however long.
    let below = options.dropFirst(3)
    #expect(below.allSatisfy { $0.count <= columns }, "\(run)")
    #expect(below.contains { $0.count > columns - 8 })
    #expect(
      options.filter { $0.hasSuffix(":") && $0.first != " " } == [
        "Usage:", "Effect:", "Regions:", "Size:", "Input:", "Output:", "Presets:",
        "Batches:", "Running:",
      ], "\(run)")
    #expect(!run.text.contains("\u{1B}"), "not for a pipe")
  }

  /// Headings are bold on a terminal, unless the environment turns styles off.
  @Test(
    .enabled(if: RunningService.has("script"), "needs script"),
    arguments: [("", true), ("NO_COLOR=1 ", false), ("TERM=dumb ", false)])
  func headingsStandOut(_ setting: String, _ doThey: Bool) throws {
    guard try CommandRun("script", ["-qec", "true", "/dev/null"], in: "/tmp").exitCode == 0 else {
      print("SKIP headings: there are no terminals here")
      return
    }
    let run = try CommandRun(
      "script", ["-qec", "\(setting)'\(CommandRun.executable)' sign --help", "/dev/null"],
      in: "/tmp", environment: ["TERM": "xterm", "NO_COLOR": ""])
    #expect(run.text.contains("\u{1B}[1mUsage:\u{1B}[0m") == doThey, "\(run)")
    #expect(run.text.contains("Usage:"))
  }

  @Test(
    arguments: [
      (
        "blur",
        [
          "sigma", "style", "filter", "scale", "edge", "quality", "linear", "backend", "format",
          "output-quality", "strip", "profile", "background", "overwrite", "max-pixels", "verbose",
          "out-dir", "recursive", "resume", "threads", "memory", "preset", "save-preset",
          "preset-name", "preset-description", "frame", "region", "regions", "mask",
          "mask-channel", "mask-use", "feather", "grow", "invert", "device", "regions-format",
          "min-score", "labels", "outlines", "json", "quiet", "dry-run",
        ]
      ),
      (
        "redact",
        [
          "region", "regions", "mask", "mask-channel", "feather", "invert", "grow", "fill", "color",
          "filter", "cell", "sigma", "audit", "audit-time", "audit-no-input-digest",
          "keep-metadata", "review", "json",
          "quiet",
          "dry-run",
        ]
      ),
      ("plan", ["sigma", "style", "filter", "overwrite", "out-dir"]),
      ("compare", ["sigma", "backend", "device", "with", "truth", "tolerance", "difference"]),
      ("filters", ["json", "page"]),
      ("placeholder", ["components", "background", "uri", "uri-side", "json", "max-pixels"]),
      (
        "fill",
        [
          "size", "aspect", "sigma", "dim", "saturation", "radius", "shadow", "margin", "align",
          "format", "output-quality", "strip", "overwrite", "backend", "profile", "max-pixels",
        ]
      ),
      (
        "bench",
        [
          "size", "sigma", "backend", "device", "threads", "format", "alpha", "runs", "json",
          "interactive",
        ]
      ),
    ]) func namesEveryOption(_ command: String, _ options: [String]) throws
  {
    let text = try Scratch().run(command, "--help").text
    for option in options { #expect(text.contains("--\(option)"), "\(option)") }
  }
}
