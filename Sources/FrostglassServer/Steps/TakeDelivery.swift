internal import Frostglass
internal import FrostglassOptions

/// Takes the fields that say how an answer is delivered; they change nothing in the image.
package struct TakeDelivery: BodyStep {
  /// Their rows.
  static let options = [
    Option(
      "filename", value: "NAME", "File name for saving, without the extension"),
    Option("attachment", "Make browsers save the image instead of showing it"),
    Option("v", value: "TEXT", "Any text, to bypass caches; ignored"),
  ]

  package init() {}

  package func run(_ context: inout RequestContext) throws(Problem) {
    var values: [String: String] = [:]
    for field in context.fields where Self.options.contains(where: { $0.name == field.name }) {
      guard values.updateValue(field.value, forKey: field.name) == nil else {
        throw .badRequest("\(field.name) is given twice")
      }
    }
    context.fields.removeAll { values[$0.name] != nil }
    let isAttachment: Bool
    switch values["attachment"]?.lowercased() {
    case nil, "0", "false", "no", "off": isAttachment = false
    case "", "1", "true", "yes", "on": isAttachment = true
    default: throw .badRequest("attachment is true or false")
    }
    let name = values["filename"]
    if let name, !ContentDisposition.isFileName(name) {
      throw .badRequest(
        "filename must be a name of 1 to \(ContentDisposition.longestName) bytes, without slashes and control characters"
      )
    }
    guard name != nil || isAttachment else { return }
    context.disposition = ContentDisposition(isAttachment: isAttachment, name: name)
  }
}

/// A `Content-Disposition` (RFC 6266): show or save, and the file name.
package struct ContentDisposition: Sendable, Hashable {
  package let isAttachment: Bool
  /// `nil` leaves it to the browser.
  package let name: String?

  package init(isAttachment: Bool, name: String?) {
    self.isAttachment = isAttachment
    self.name = name
  }

  static let longestName = 200

  /// True if nothing in a name could leave its header field, its folder, or show another extension than it has.
  package static func isFileName(_ text: String) -> Bool {
    (1...longestName).contains(text.utf8.count) && text != "." && text != ".."
      && text.unicodeScalars.allSatisfy { scalar in
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: false
        default: scalar != "/" && scalar != "\\"
        }
      }
  }

  /// The header field's value.
  ///
  /// - Parameter type: the answer's media type; `nil` where that is not known.
  package func value(for type: String?) -> String {
    let kind = isAttachment ? "attachment" : "inline"
    guard let name = name.map({ Self.named($0, type) }) else { return kind }
    let plain = String(
      String.UnicodeScalarView(
        name.unicodeScalars.map {
          (0x20...0x7E).contains($0.value) && !"\"%".unicodeScalars.contains($0) ? $0 : "_"
        }))
    let value = "\(kind); filename=\"\(plain)\""
    return plain == name ? value : value + "; filename*=UTF-8''\(Self.encoded(name))"
  }

  /// With the extension of what is in the file, in place of another image's.
  private static func named(_ name: String, _ type: String?) -> String {
    guard let format = StillFormat.allCases.first(where: { $0.mediaType == type }) else {
      return name
    }
    if let dot = name.lastIndex(of: "."), dot > name.startIndex,
      let known = StillFormat(fileExtension: String(name[name.index(after: dot)...]))
    {
      return known.mediaType == type ? name : name[..<dot] + "." + format.fileExtension
    }
    return name + "." + format.fileExtension
  }

  /// RFC 8187: bytes that are no `attr-char` as `%` and two digits.
  private static func encoded(_ name: String) -> String {
    let plain = Set(
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$&+-.^_`|~".utf8)
    return name.utf8.reduce(into: "") { text, byte in
      if plain.contains(byte) {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        text += "%" + (digits.utf8.count == 1 ? "0" : "") + digits
      }
    }
  }
}
