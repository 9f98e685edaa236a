internal import Frostglass
internal import FrostglassCore
internal import FrostglassOptions

/// `frostglass completions`: what shells need to complete the command's words, from the option tables.
struct CompletionsCommand: Command {
  static let name = "completions"
  static let summary = "Print completions for bash, zsh or fish"
  static let operands = "SHELL"
  static let notes = """
    SHELL is bash, zsh or fish. `make install` installs completions for all three; by hand:

      source <(frostglass completions bash)
      frostglass completions zsh > ~/.zfunc/_frostglass
      frostglass completions fish > ~/.config/fish/completions/frostglass.fish
    """
  static let options: [Option] = []

  private enum Shell: String, CaseIterable {
    case bash, zsh, fish
  }

  private let shell: Shell

  init(_ arguments: ParsedArguments) throws(Failure) {
    let words = Shell.allCases.map(\.rawValue)
    guard arguments.operands.count == 1 else {
      throw .usage("one SHELL is needed: \(words.joined(separator: ", "))")
    }
    guard let shell = Shell(rawValue: arguments.operands[0]) else {
      throw .usage(
        "there are no completions for \(arguments.operands[0])"
          + DidYouMean.hint(for: arguments.operands[0], in: words)
          + "; there are some for \(words.joined(separator: ", "))")
    }
    self.shell = shell
  }

  func run() async throws(Failure) -> Int32 {
    let commands = CommandLineTool.commands
    switch shell {
    case .bash: Console.print(Self.bash(commands))
    case .zsh: Console.print(Self.zsh(commands))
    case .fish: Console.print(Self.fish(commands))
    }
    return ExitCode.done
  }
}

extension CompletionsCommand {
  private static func bash(_ commands: [any Command.Type]) -> String {
    let names = commands.map { $0.name }.joined(separator: " ")
    let options = commands.map { command in
      let words = (command.options + [.forHelp]).map { "--\($0.name)" }
      return "    \(command.name)) options='\(words.joined(separator: " "))' ;;"
    }
    let choices = commands.flatMap { command in
      command.options.filter { !$0.choices.isEmpty }.map { option in
        let labels = ["--\(option.name)"] + (option.letter.map { ["-\($0)"] } ?? [])
        let patterns = labels.map { "'\(command.name) \($0)'" }.joined(separator: "|")
        return "    \(patterns)) choices='\(option.choices.joined(separator: " "))' ;;"
      }
    }
    return """
      # Completions of frostglass for bash.
      _frostglass() {
        local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options='' choices=''
        if [ "$COMP_CWORD" -eq 1 ]; then
          COMPREPLY=($(compgen -W '\(names) --help --version' -- "$word"))
          return
        fi
        # bash takes the = of --style=dark for a word.
        if [ "$before" = = ]; then
          before=${COMP_WORDS[COMP_CWORD-2]}
        elif [ "$word" = = ]; then
          word=''
        fi
        case "${COMP_WORDS[1]} $before" in
      \(choices.joined(separator: "\n"))
        esac
        case "${COMP_WORDS[1]}" in
      \(options.joined(separator: "\n"))
        esac
        if [ -n "$choices" ]; then
          COMPREPLY=($(compgen -W "$choices" -- "$word"))
        elif [ "${word#-}" != "$word" ]; then
          COMPREPLY=($(compgen -W "$options" -- "$word"))
        else
          local IFS=$'\\n'
          COMPREPLY=($(compgen -f -- "$word"))
        fi
      }
      complete -o filenames -F _frostglass frostglass
      """
  }

  private static func zsh(_ commands: [any Command.Type]) -> String {
    let names = commands.map { "    \(quoted("\($0.name):\($0.summary)"))" }
    let cases = commands.map { command in
      let options = (command.options + [.forHelp]).flatMap { option in
        let help = "[\(escaped(option.help, "[]:"))]"
        let value = option.value.map { value in
          let action =
            option.choices.isEmpty ? "_files" : "(\(option.choices.joined(separator: " ")))"
          return ":\(escaped(value, "[]:")):\(action)"
        }
        let long = "--\(option.name)\(option.value == nil ? "" : "=")\(help)\(value ?? "")"
        let short = option.letter.map { "-\($0)\(help)\(value ?? "")" }
        // An option may be given more than once.
        return [long, short].compactMap { $0 }.map { "        \(quoted("*\($0)")) \\" }
      }
      return """
            \(command.name))
              _arguments -s \\
        \(options.joined(separator: "\n"))
                '*:file:_files' ;;
        """
    }
    return """
      #compdef frostglass
      # Completions of frostglass for zsh.
      _frostglass() {
        local -a commands=(
      \(names.joined(separator: "\n"))
        )
        if (( CURRENT == 2 )); then
          _describe command commands
          return
        fi
        shift words
        (( CURRENT-- ))
        case $words[1] in
      \(cases.joined(separator: "\n"))
        esac
      }
      _frostglass "$@"
      """
  }

  private static func fish(_ commands: [any Command.Type]) -> String {
    var lines = ["# Completions of frostglass for fish."]
    for command in commands {
      lines.append(
        "complete -c frostglass -n __fish_use_subcommand -f -a \(command.name) -d "
          + fishQuoted(command.summary))
      for option in command.options + [.forHelp] {
        var line = "complete -c frostglass -n '__fish_seen_subcommand_from \(command.name)'"
        line += " -l \(option.name)" + (option.letter.map { " -s \($0)" } ?? "")
        if !option.choices.isEmpty {
          line += " -x -a \(fishQuoted(option.choices.joined(separator: " ")))"
        } else if option.value != nil {
          line += " -r"
        }
        lines.append(line + " -d \(fishQuoted(option.help))")
      }
    }
    return lines.joined(separator: "\n")
  }

  /// For sh and its like.
  private static func quoted(_ text: String) -> String {
    "'\(text.replacing("'", with: "'\\''"))'"
  }

  private static func fishQuoted(_ text: String) -> String { "'\(escaped(text, "'"))'" }

  /// With a backslash before some characters and itself.
  private static func escaped(_ text: String, _ characters: String) -> String {
    text.reduce(into: "") { result, character in
      if character == "\\" || characters.contains(character) { result.append("\\") }
      result.append(character)
    }
  }
}
