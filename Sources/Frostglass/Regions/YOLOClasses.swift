internal import FrostglassCore

/// What YOLO's classes are called: the lines of `classes.txt`.
struct YOLOClasses {
  /// By number; empty for a class without a name, so that those behind it keep their numbers.
  private let lines: [String]

  init(_ text: String = "") {
    let text = text.first == "\u{FEFF}" ? String(text.dropFirst()) : text
    // A line of Windows ends with one character of two, which is no "\n".
    lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map { trimmed($0) }
  }

  /// All names that there are.
  var names: [String] { lines.filter { !$0.isEmpty } }

  /// What a class is called: what stands for it in a line of labels where it has no name.
  func name(_ number: Int, or word: Substring) -> String {
    lines.indices.contains(number) && !lines[number].isEmpty ? lines[number] : String(word)
  }
}
