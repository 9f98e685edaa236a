internal import FrostglassConfinement
internal import Frostglass
internal import FrostglassCore

/// Checks answers of child processes, which an attacker may have taken over.
///
/// An answer that fails is discarded, and its child is ended.
struct AnswerCheck: Sendable {
  /// Bytes of a body.
  var mostBytes: Int

  /// The limits of frames that hold an answer.
  var frames: FrameLimits { FrameLimits(head: 64 << 10, parts: 1, bytes: mostBytes) }

  /// Statuses that work can end with.
  private static let statuses: Set<Int> = [200, 400, 404, 406, 413, 415, 422, 500, 501, 503]

  /// Types that work makes; none of them is a page or a program to a browser.
  private static let types = Set(StillFormat.allCases.map(\.mediaType))
    .union(["application/json", Problem.contentType])

  /// An image with its audit; what follows is the boundary.
  private static let form = "multipart/form-data; boundary=frostglass-"

  /// Fields of a response's head that work may set, in small letters: none that changes what a browser
  /// does.
  private static let fields: Set<String> = ["server-timing", "retry-after"]
  private static let ownFields = "x-frostglass-"

  /// Returns what is wrong with an answer; `nil` for nothing.
  func objection(to answer: WorkAnswer) -> String? {
    guard Self.statuses.contains(answer.status) else { return "its status is \(answer.status)" }
    guard Self.isKnown(answer.contentType) else { return "its type is unknown" }
    guard (answer.status >= 400) == (answer.contentType == Problem.contentType) else {
      return "its type does not fit its status"
    }
    guard answer.body.count <= mostBytes else { return "its body is too large" }
    guard answer.status < 400 || Self.isProblem(answer.body) else {
      return "its problem is no line of JSON"
    }
    guard answer.fields.count <= 64 else { return "it has too many fields" }
    guard answer.fields.allSatisfy({ Self.isName($0.name) && Self.isValue($0.value) }) else {
      return "it has a field that no head may have"
    }
    return nil
  }

  /// The most bytes that a problem document of a child has.
  private static let longestProblem = 64 << 10

  /// Returns true if a body is a JSON object on one line, as it goes into a line of the log.
  private static func isProblem(_ body: [UInt8]) -> Bool {
    guard body.count <= longestProblem, body.first == UInt8(ascii: "{"),
      body.last == UInt8(ascii: "}"), body.allSatisfy({ $0 >= 0x20 }),
      let text = String(validating: body, as: UTF8.self), let value = try? JSONValue(text: text),
      case .object = value.content
    else { return false }
    return true
  }

  private static func isKnown(_ type: String) -> Bool {
    if types.contains(type) { return true }
    let boundary = type.utf8.dropFirst(form.utf8.count)
    return type.hasPrefix(form) && (1...64).contains(boundary.count)
      && boundary.allSatisfy(isPlain)
  }

  private static func isName(_ name: String) -> Bool {
    guard name.utf8.count <= 64, name.utf8.allSatisfy(isPlain) else { return false }
    let small = name.lowercased()
    return fields.contains(small) || small.hasPrefix(ownFields)
  }

  /// ASCII letters, digits and hyphens.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
      true
    default: false
    }
  }

  /// Nothing that could end a line.
  private static func isValue(_ value: String) -> Bool {
    value.utf8.count <= longestValue && value.unicodeScalars.allSatisfy(isOfLine)
  }

  /// A text with a space for each character that no value can have, cut where it would be too long.
  static func value(of text: String) -> String {
    var value = ""
    var count = 0
    for scalar in text.unicodeScalars.lazy.map({ isOfLine($0) ? $0 : " " }) {
      count += UTF8.width(scalar)
      guard count <= longestValue else { break }
      value.unicodeScalars.append(scalar)
    }
    return value
  }

  /// The most bytes that the value of a field has.
  private static let longestValue = 8192

  private static func isOfLine(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value)
  }
}
