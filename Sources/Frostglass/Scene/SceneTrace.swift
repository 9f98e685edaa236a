/// A table of a scene's frames as CSV: a line for each, with the pixels that were computed last.
struct SceneTrace {
  private(set) var text = ""

  mutating func add(_ frame: SceneFrame) {
    if text.isEmpty {
      text = SceneTrace.line(["time"] + frame.trace.map(\.column) + ["recomputed"])
    }
    text += SceneTrace.line(
      [SceneTrace.time(frame.time)] + frame.trace.map(\.value) + ["\(frame.damage.area)"])
  }

  /// Seconds, to a tenth of a millisecond.
  private static func time(_ seconds: Double) -> String {
    "\((seconds * 10_000).rounded() / 10_000)"
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
