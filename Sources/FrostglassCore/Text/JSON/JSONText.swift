/// Writes JSON.
package enum JSONText {
  package static func string(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\t": quoted += "\\t"
      case "\u{0}"..."\u{1F}":
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }

  /// - Parameter members: names and values that are JSON already.
  package static func object(_ members: [(String, String)]) -> String {
    "{" + members.map { "\(string($0)):\($1)" }.joined(separator: ",") + "}"
  }

  /// - Parameter elements: JSON already.
  package static func array(_ elements: [String]) -> String {
    "[" + elements.joined(separator: ",") + "]"
  }
}
