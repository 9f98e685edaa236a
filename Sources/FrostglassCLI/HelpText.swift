internal import FrostglassCore
internal import FrostglassOptions

/// The help of a command: its options under headings, all of it wrapped to the terminal.
struct HelpText {
  let command: any Command.Type
  /// Columns that a line may take.
  let width: Int
  /// True if headings are styled.
  let isStyled: Bool

  /// Columns of labels: longer ones have their explanation on the next line.
  private static let labelWidth = 28

  var text: String {
    let uses = (command.operands.isEmpty ? [""] : command.operands.split(separator: "  |  "))
      .map { "  frostglass \(command.name) [OPTION…] \($0)" }
    var parts = [heading("Usage") + "\n" + uses.joined(separator: "\n")]
    parts.append(Self.wrapped(command.summary + ".", to: width))
    parts += sections
    if !command.notes.isEmpty { parts.append(Self.reflowed(command.notes, to: width)) }
    return parts.joined(separator: "\n\n")
  }

  private func heading(_ words: String) -> String {
    isStyled ? "\u{1B}[1m\(words):\u{1B}[0m" : "\(words):"
  }

  /// A section for each heading that has options; where there is one alone it has no name of its own.
  private var sections: [String] {
    let options = command.options
    let groups = Option.Group.allCases.filter { group in options.contains { $0.group == group } }
    guard groups.count > 1 else {
      return [heading("Options") + "\n" + rows(options + [.forHelp])]
    }
    return groups.map { group in
      let own = options.filter { $0.group == group } + (group == groups.last ? [.forHelp] : [])
      return heading(group.rawValue) + "\n" + rows(own)
    }
  }

  private func rows(_ options: [Option]) -> String {
    options.map { option in
      let label =
        "  " + (option.letter.map { "-\($0), " } ?? "") + "--\(option.name)"
        + (option.value.map { "=\($0)" } ?? "")
      let indent = String(repeating: " ", count: Self.labelWidth + 2)
      let help = Self.lines(of: option.help, width: width - indent.count)
        .joined(separator: "\n" + indent)
      return label.count > Self.labelWidth
        ? "\(label)\n\(indent)\(help)" : label.padded(to: indent.count) + help
    }.joined(separator: "\n")
  }
}

extension HelpText {
  /// Paragraphs filled anew; lines that begin with a space stay as they are.
  static func reflowed(_ text: String, to width: Int) -> String {
    var lines: [String] = []
    var paragraph: [Substring] = []
    func end() {
      if !paragraph.isEmpty {
        lines += Self.lines(of: paragraph.joined(separator: " "), width: width)
      }
      paragraph = []
    }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.isEmpty || line.first == " " {
        end()
        lines.append(String(line))
      } else {
        paragraph.append(line)
      }
    }
    end()
    return lines.joined(separator: "\n")
  }

  private static func wrapped(_ text: String, to width: Int) -> String {
    lines(of: text, width: width).joined(separator: "\n")
  }

  /// Breaks between words; a word that is longer than a line has one to itself.
  private static func lines(of text: String, width: Int) -> [String] {
    text.split(separator: " ").reduce(into: []) { lines, word in
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] += " " + word
      } else {
        lines.append(String(word))
      }
    }
  }
}
