/// A table of a scene's frames as CSV: a line for each, with the pixels that were computed last.
struct SceneTrace {
  private(set) var text = ""

  mutating func add(_ frame: SceneFrame) {
    if text.isEmpty {
      text = SceneTrace.line(frame.trace.map(\.column) + ["recomputed"])
    }
    text += SceneTrace.line(frame.trace.map(\.value) + ["\(frame.damage.area)"])
  }

  private static func line(_ cells: [String]) -> String {
    cells.map(quoted).joined(separator: ",") + "\n"
  }

  /// A cell, in quotes where a comma, a quote or a line end is in it.
  private static func quoted(_ cell: String) -> String {
    guard cell.contains(where: { ",\"\r\n".contains($0) }) else { return cell }
    return "\"" + cell.replacing("\"", with: "\"\"") + "\""
  }
}
