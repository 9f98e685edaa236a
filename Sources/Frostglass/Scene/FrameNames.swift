/// A path with a place for a number: `frames/%04d.png`.
package struct FrameNames: Sendable, Hashable {
  /// What comes before the number, and after it.
  private var before: String
  private var after: String
  /// Digits at least, with zeros in front.
  private var digits: Int

  /// Reads a path.
  ///
  /// `%d` is the number, `%04d` one with at least four digits, `%%` a percent sign.
  ///
  /// - Returns: `nil`, and the path that is meant, where there is no place for a number.
  /// - Throws: `FrameSinkError` when a percent sign is something else, or there are several numbers.
  package static func read(_ path: String) throws(FrameSinkError) -> (
    names: FrameNames?, path: String
  ) {
    var parts = [""]
    var digits = 0
    var rest = path[...]
    while let character = rest.popFirst() {
      guard character == "%" else {
        parts[parts.count - 1].append(character)
        continue
      }
      if rest.first == "%" {
        rest.removeFirst()
        parts[parts.count - 1].append("%")
        continue
      }
      digits = try readNumber(&rest, path)
      parts.append("")
    }
    guard parts.count > 1 else { return (nil, parts[0]) }
    guard parts.count == 2 else { throw .severalNumbers(path: path) }
    guard !parts[1].contains("/") else { throw .numberInFolder(path: path) }
    return (FrameNames(before: parts[0], after: parts[1], digits: digits), path)
  }

  /// Reads what follows the percent sign: nothing, or 0 and a count from 1 to 9, then d.
  private static func readNumber(
    _ rest: inout Substring, _ path: String
  ) throws(FrameSinkError) -> Int {
    let number = rest.prefix { $0.isASCII && $0.isNumber }
    let end = rest.dropFirst(number.count)
    let isWidth = number.count == 2 && number.first == "0" && number != "00"
    guard end.first == "d", number.isEmpty || isWidth else {
      throw .badNumber(path: path, found: "%\(number)\(end.prefix(1))")
    }
    rest = end.dropFirst()
    return number.isEmpty ? 1 : Int(number) ?? 1
  }

  /// The path of a frame.
  ///
  /// - Parameter number: 0 or more.
  package func path(_ number: Int) -> String {
    let text = String(number)
    return before + String(repeating: "0", count: max(0, digits - text.count)) + text + after
  }

  /// The folder of all, without a slash at the end; empty for the current one.
  package var folder: String {
    guard let slash = before.lastIndex(of: "/") else { return "" }
    return slash == before.startIndex ? "/" : String(before[..<slash])
  }
}
