import Testing

/// Help and version go to standard output and need neither a picture nor a GPU.
@Suite struct HelpTests {
  static let commands = [
    "blur", "redact", "fill", "placeholder", "plan", "compare", "filters", "bench", "doctor",
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

  @Test(
    arguments: [
      (
        "blur",
        [
          "sigma", "style", "filter", "scale", "edge", "quality", "linear", "backend", "format",
          "output-quality", "strip", "profile", "background", "overwrite", "max-pixels", "verbose",
          "out-dir", "recursive", "resume", "threads", "memory", "preset", "save-preset",
          "preset-name", "preset-description", "frame", "region", "regions", "mask",
          "mask-channel", "mask-use", "feather", "grow", "invert", "device",
        ]
      ),
      (
        "redact",
        [
          "region", "regions", "mask", "mask-channel", "feather", "invert", "grow", "fill", "color",
          "filter", "cell", "sigma", "audit", "audit-time", "keep-metadata",
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
