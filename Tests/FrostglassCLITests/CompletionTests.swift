import Testing

/// Completions and man pages, made from the option tables.
@Suite struct CompletionTests {
  /// Returns bash's completions for the last of some words.
  private func offers(_ words: String...) throws -> [String] {
    let scratch = try Scratch()
    try scratch.add("image one.png", [1])
    let run = try scratch.shell(
      """
      "$frostglass" completions bash >completions && bash --norc -c '
        source ./completions
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _frostglass
        printf "%s\\n" "${COMPREPLY[@]}"' bash \(words.map { "'\($0)'" }.joined(separator: " "))
      """)
    #expect(run.exitCode == 0 && run.errors.isEmpty, "\(run)")
    return run.text.split(separator: "\n").map(String.init)
  }

  @Test func bashOffersCommandsOptionsWordsAndFiles() throws {
    #expect(try offers("frostglass", "re") == ["redact"])
    #expect(try offers("frostglass", "").contains("completions"))
    #expect(try offers("frostglass", "blur", "--sig") == ["--sigma"])
    #expect(try offers("frostglass", "scene", "--sig").isEmpty)
    #expect(try offers("frostglass", "blur", "--style", "extra") == ["extra-light"])
    #expect(try offers("frostglass", "blur", "--edge", "=", "mi") == ["mirror"])
    #expect(Set(try offers("frostglass", "blur", "--profile", "=")) == ["srgb", "keep"])
    #expect(try offers("frostglass", "blur", "im") == ["image one.png"])
  }

  @Test(arguments: ["bash", "zsh", "fish"]) func everyOptionIsThere(shell: String) throws {
    let scratch = try Scratch()
    let text = try scratch.run("completions", shell).text
    for command in HelpTests.commands {
      let help = try scratch.run(command, "--help").text
      for option in help.matches(of: /--([a-z-]+)/).map(\.1) {
        // Fish has the hyphens from its own option.
        #expect(text.contains(shell == "fish" ? "-l \(option) " : "--\(option)"), "\(option)")
      }
    }
    // What is installed here says whether it can read that; a shell that is not there has no word.
    try scratch.add("completions", Array(text.utf8))
    let check = try scratch.shell("command -v \(shell) || exit 0; \(shell) -n completions")
    #expect(check.exitCode == 0 && check.errors.isEmpty, "\(check)")
  }

  @Test func otherShellsAreRefused() throws {
    let run = try Scratch().run("completions", "fisch")
    #expect(
      run.exitCode == 64 && run.explains(["fisch", "did you mean fish", "bash, zsh"]), "\(run)")
    #expect(try Scratch().run("completions").exitCode == 64)
  }

  @Test func pagesHaveWhatHelpHas() throws {
    let scratch = try Scratch()
    let overview = try scratch.run("manual")
    #expect(overview.exitCode == 0 && overview.text.hasPrefix(".TH FROSTGLASS 1 "), "\(overview)")
    for command in HelpTests.commands {
      let page = try scratch.run("manual", command).text
      #expect(overview.text.contains("\n.BR frostglass\\-\(command) (1)\n"))
      #expect(page.hasPrefix(".TH FROSTGLASS\\-\(command.uppercased()) 1 "))
      let help = try scratch.run(command, "--help").text
      for option in help.matches(of: /\n  (?:-[a-zA-Z], )?--([a-z-]+)/).map(\.1) {
        #expect(page.contains("\\-\\-\(option.replacing("-", with: "\\-"))\\fR"), "\(option)")
      }
      // A line that begins with a period is a request, and these are the only ones.
      let requests = page.split(separator: "\n").filter { $0.hasPrefix(".") || $0.hasPrefix("'") }
      let known: Set = [".TH", ".SH", ".B", ".BR", ".TP", ".br", ".nf", ".fi"]
      #expect(
        requests.allSatisfy { known.contains(String($0.prefix { $0 != " " })) }, "\(requests)")
    }
    let wrong = try scratch.run("manual", "blurr")
    #expect(wrong.exitCode == 64 && wrong.explains(["blurr", "did you mean blur"]), "\(wrong)")
  }
}
