/// A place in a text, counted from 1 in characters as a person sees them.
public struct TextPosition: Sendable, Hashable, CustomStringConvertible {
  public var line: Int
  public var column: Int

  public init(line: Int = 1, column: Int) {
    self.line = line
    self.column = column
  }

  /// `column 7`; `line 2, column 7` from the second line on.
  public var description: String {
    line == 1 ? "column \(column)" : "line \(line), column \(column)"
  }
}
