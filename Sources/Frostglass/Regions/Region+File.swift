internal import Glibc

extension Region {
  /// More is no list of regions.
  private static let mostBytes = 64 << 20

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
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      let code = errno
      throw code == ENOENT ? .missing(path: path) : .unreadable(path: path, reason: words(code))
    }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count == 0 { break }
      guard count > 0 else { throw .unreadable(path: path, reason: words(errno)) }
      bytes += buffer[..<count]
      guard bytes.count <= mostBytes else {
        throw .unreadable(path: path, reason: "it is larger than 64 MiB")
      }
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .unreadable(path: path, reason: "it is not UTF-8 text")
    }
    return text
  }

  private static func words(_ code: Int32) -> String { String(cString: strerror(code)) }
}
