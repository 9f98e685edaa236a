internal import Frostglass
internal import FrostglassCore
internal import FrostglassOptions

/// `frostglass manual`: pages for man(1), from the same tables as the help.
struct ManualCommand: Command {
  static let name = "manual"
  static let summary = "Print the manual page of a command, or of all, for man"
  static let operands = "[COMMAND]"
  static let notes = """
    `make install` puts the pages where man looks; by hand:

      frostglass manual blur > frostglass-blur.1 && man ./frostglass-blur.1
    """
  static let options: [Option] = []

  private let command: (any Command.Type)?

  init(_ arguments: ParsedArguments) throws(Failure) {
    guard arguments.operands.count <= 1 else {
      throw .usage("at most one COMMAND is given; see `frostglass manual --help`")
    }
    guard let word = arguments.operands.first else {
      command = nil
      return
    }
    command = CommandLineTool.commands.first { $0.name == word }
    guard command != nil else {
      let names = CommandLineTool.commands.map { $0.name }
      throw .usage("there is no command \(word)\(DidYouMean.hint(for: word, in: names))")
    }
  }

  func run() async throws(Failure) -> Int32 {
    Console.print(command.map { Self.page(of: $0) } ?? Self.overview)
    return ExitCode.done
  }
}

extension ManualCommand {
  private static func page(of command: any Command.Type) -> String {
    let name = "frostglass-\(command.name)"
    let uses = command.operands.split(separator: "  |  ").map { operands in
      ".B frostglass \(command.name)\n\(plain("[OPTION…] \(operands)"))"
    }
    let options = (command.options + [.forHelp]).map { option in
      let labels = (option.letter.map { ["\\-\($0)"] } ?? []) + ["\\-\\-\(inline(option.name))"]
      let value = option.value.map { " \\fI\(inline($0))\\fR" } ?? ""
      return ".TP\n"
        + labels.map { "\\fB\($0)\\fR" }.joined(separator: ", ") + value + "\n"
        + plain(option.manual)
    }
    return """
      \(heading(name))
      .SH NAME
      \(inline(name)) \\- \(inline(command.summary))
      .SH SYNOPSIS
      \(uses.joined(separator: "\n.br\n"))
      .SH DESCRIPTION
      .nf
      \(command.notes.isEmpty ? plain(command.summary + ".") : plain(command.notes))
      .fi
      .SH OPTIONS
      \(options.joined(separator: "\n"))
      .SH SEE ALSO
      .BR frostglass (1)
      """
  }

  private static var overview: String {
    let commands = CommandLineTool.commands.map { command in
      ".TP\n.BR frostglass\\-\(command.name) (1)\n\(plain(command.summary))"
    }
    return """
      \(heading("frostglass"))
      .SH NAME
      frostglass \\- frosted glass, privacy blurs and backdrops from images
      .SH SYNOPSIS
      .B frostglass
      \\fICOMMAND\\fR …
      .SH COMMANDS
      \(commands.joined(separator: "\n"))
      """
  }

  private static func heading(_ name: String) -> String {
    ".TH \(inline(name.uppercased())) 1 \"\" \"frostglass \(CommandLineTool.version)\""
  }

  /// Text whose lines are not parsed as troff requests.
  private static func plain(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let line = inline(String(line))
      return line.hasPrefix(".") || line.hasPrefix("'") ? "\\&\(line)" : line
    }.joined(separator: "\n")
  }

  /// Text with what means something to troff as itself.
  private static func inline(_ text: String) -> String {
    text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
  }
}
