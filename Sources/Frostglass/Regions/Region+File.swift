extension Region {
  /// More is no list of regions.
  private static let mostMebibytes = 64

  /// Reads regions from a JSON or CSV file, whichever it is; the formats are in docs/regions.md.
  ///
  /// - Throws: `RegionsError`; what is wrong in the file with line and column.
  public static func list(file path: String) throws(RegionsError) -> [Region] {
    let text = try contents(path)
    do throws(RegionsError) { return try list(text: text) } catch { throw error.inFile(path) }
  }

  /// Reads regions from the text of a JSON or CSV file: JSON begins with `[` or `{`.
  ///
  /// - Throws: `RegionsError.malformed` or `.empty`.
  public static func list(text: String) throws(RegionsError) -> [Region] {
    // Some programs begin a file with a mark of its byte order.
    let text = text.first == "\u{FEFF}" ? String(text.dropFirst()) : text
    let first = text.first { !$0.isWhitespace }
    let regions = try first == "[" || first == "{" ? list(json: text) : list(csv: text)
    guard !regions.isEmpty else { throw .empty(path: "") }
    return regions
  }

  private static func contents(_ path: String) throws(RegionsError) -> String {
    do throws(TextFile.Failure) {
      return try TextFile.contents(path, most: mostMebibytes)
    } catch {
      switch error {
      case .missing: throw .missing(path: path)
      case .unreadable(let reason): throw .unreadable(path: path, reason: reason)
      }
    }
  }
}
