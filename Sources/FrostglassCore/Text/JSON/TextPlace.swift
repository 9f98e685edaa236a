/// A place in a text, both counted from 1; a column is a character.
public struct TextPlace: Sendable, Hashable, CustomStringConvertible {
  public var line: Int
  public var column: Int

  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// `3:12`.
  public var description: String { "\(line):\(column)" }
}
