/// A form with files, `multipart/form-data` (RFC 7578).
///
/// Read here and not by libmicrohttpd, whose reader of boundaries had a way to crash the process in
/// which everyone's requests are (CVE-2023-27371).
package struct MultipartForm: Sendable {
  /// One part of a form.
  package struct Part: Sendable {
    package var name: String
    /// The file name that the client sent; `nil` for a plain field.
    package var fileName: String?
    package var content: ArraySlice<UInt8>
  }

  /// More parts than this are no question about an image.
  package static let mostParts = 256
  /// The longest head of a part, in bytes.
  private static let longestHead = 4096

  package private(set) var parts: [Part] = []

  /// - Returns: the boundary of a `Content-Type`; `nil` for what is no such form.
  package static func boundary(of contentType: String) -> String? {
    var fields = contentType.split(separator: ";").map(\.trimmed)
    guard !fields.isEmpty, fields.removeFirst().lowercased() == "multipart/form-data" else {
      return nil
    }
    let value = fields.lazy.compactMap { $0.parameter("boundary") }.first
    // RFC 2046: 1 to 70 characters.
    guard let value, (1...70).contains(value.utf8.count),
      value.utf8.allSatisfy({ (32..<127).contains($0) })
    else { return nil }
    return value
  }

  /// - Throws: `Problem` where the form does not end, or a part has no name.
  package init(_ body: [UInt8], boundary: String) throws(Problem) {
    // A line end before the first delimiter is optional.
    let delimiter = Array("\r\n--\(boundary)".utf8)
    var place: Int
    if body.starts(with: delimiter.dropFirst(2)) {
      place = delimiter.count - 2
    } else if let first = body.firstIndex(of: delimiter, from: 0) {
      place = first + delimiter.count
    } else {
      throw Self.malformed("its boundary is not in it")
    }
    while true {
      if body[place...].starts(with: "--".utf8) { return }
      // Padding behind a boundary, then the line's end.
      while place < body.count, body[place] == UInt8(ascii: " ") || body[place] == 9 { place += 1 }
      guard body[place...].starts(with: "\r\n".utf8) else {
        throw Self.malformed("there is something behind a boundary")
      }
      place += 2
      guard let end = body.firstIndex(of: delimiter, from: place) else {
        throw Self.malformed("its last part does not end")
      }
      guard parts.count < Self.mostParts else {
        throw Self.malformed("it has more than \(Self.mostParts) parts")
      }
      parts.append(try Self.part(body[place..<end]))
      place = end + delimiter.count
    }
  }

  private static func part(_ bytes: ArraySlice<UInt8>) throws(Problem) -> Part {
    let blank = Array("\r\n\r\n".utf8)
    let limit = min(bytes.endIndex, bytes.startIndex + longestHead)
    guard let end = bytes[..<limit].firstIndex(of: blank),
      let head = String(validating: bytes[..<end], as: UTF8.self)
    else { throw malformed("a part has no head") }
    for line in head.split(separator: "\r\n") {
      guard let colon = line.firstIndex(of: ":"),
        line[..<colon].lowercased() == "content-disposition"
      else { continue }
      let fields = line[line.index(after: colon)...].splitOutsideQuotes(";").map(\.trimmed)
      guard fields.first?.lowercased() == "form-data" else { break }
      guard let name = fields.lazy.compactMap({ $0.parameter("name") }).first else { break }
      return Part(
        name: name, fileName: fields.lazy.compactMap { $0.parameter("filename") }.first,
        content: bytes[(end + blank.count)...])
    }
    throw malformed("a part has no name")
  }

  private static func malformed(_ reason: String) -> Problem {
    .badRequest("the form cannot be read: \(reason)")
  }
}

extension StringProtocol {
  fileprivate var trimmed: Substring {
    var text = Substring(self)
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }

  /// The value of `name=value`, with or without quotes; `nil` for another name.
  fileprivate func parameter(_ name: String) -> String? {
    guard let equals = firstIndex(of: "="),
      self[..<equals].trimmed.lowercased() == name
    else { return nil }
    let value = self[index(after: equals)...].trimmed
    guard value.hasPrefix("\"") else { return String(value) }
    guard value.count >= 2, value.hasSuffix("\"") else { return nil }
    var text = ""
    var isEscaped = false
    for sign in value.dropFirst().dropLast() {
      if sign == "\\", !isEscaped {
        isEscaped = true
      } else {
        text.append(sign)
        isEscaped = false
      }
    }
    return text
  }

  fileprivate func splitOutsideQuotes(_ separator: Character) -> [String] {
    var parts = [""]
    var (isQuoted, isEscaped) = (false, false)
    for sign in self {
      if sign == "\"", !isEscaped { isQuoted.toggle() }
      isEscaped = sign == "\\" && !isEscaped
      if sign == separator, !isQuoted {
        parts.append("")
      } else {
        parts[parts.count - 1].append(sign)
      }
    }
    return parts
  }
}

extension Collection<UInt8> where Index == Int {
  /// Returns the index of the first occurrence of some bytes.
  ///
  /// - Parameter start: the index to start from; `nil` for the beginning.
  fileprivate func firstIndex(of part: [UInt8], from start: Int? = nil) -> Int? {
    guard let first = part.first else { return nil }
    return withContiguousStorageIfAvailable { bytes -> Int? in
      var place = (start ?? startIndex) - startIndex
      while place + part.count <= bytes.count {
        guard let hit = bytes[place...].firstIndex(of: first), hit + part.count <= bytes.count
        else { return nil }
        if bytes[hit..<hit + part.count].elementsEqual(part) { return hit + startIndex }
        place = hit + 1
      }
      return nil
    } ?? nil
  }
}
