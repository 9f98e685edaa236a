// GLib, as far as libvips' headers bring it along.
internal import CVips
internal import FrostglassCore

/// An element of an XML document, as much of XML as annotation tools write: elements, attributes, text,
/// comments and the five characters with names. No document types, so no entities of anyone's own.
struct XMLElement {
  let name: String
  let attributes: [String: String]
  fileprivate(set) var children: [XMLElement] = []
  /// The text in it, without space around it.
  fileprivate(set) var text = ""
  /// The end of its start tag.
  let place: TextPosition

  /// Reads a document.
  ///
  /// - Throws: `RegionsError.malformed` for what is not well formed.
  init(_ text: String) throws(RegionsError) { self = try XMLReader.element(text) }

  fileprivate init(name: String, attributes: [String: String], place: TextPosition) {
    (self.name, self.attributes, self.place) = (name, attributes, place)
  }

  func error(_ reason: String) -> RegionsError {
    .malformed(path: "", place: place, reason: reason)
  }
}

/// Puts elements together as GLib's parser finds them.
private final class XMLReader {
  /// Elements in elements; more is an attack.
  private static let deepest = 64

  /// Elements that have begun, the outermost first.
  private var open: [XMLElement] = []
  private var root: XMLElement?
  /// The refusal of something well formed that is not read.
  private var refusal: String?

  static func element(_ text: String) throws(RegionsError) -> XMLElement {
    let reader = XMLReader()
    let parser = UnsafeMutablePointer<GMarkupParser>.allocate(capacity: 1)
    defer { parser.deallocate() }
    parser.pointee = GMarkupParser(
      start_element: { context, name, names, values, reader, error in
        var attributes: [(String, String)] = []
        while let key = names?[attributes.count], let value = values?[attributes.count] {
          attributes.append((String(cString: key), String(cString: value)))
        }
        let name = name.map { String(cString: $0) } ?? ""
        XMLReader.of(reader).begin(name, attributes, XMLReader.place(context), error)
      },
      end_element: { _, _, reader, _ in XMLReader.of(reader).end() },
      text: { _, text, count, reader, _ in
        let bytes = UnsafeRawBufferPointer(start: text, count: Int(count))
        XMLReader.of(reader).add(String(decoding: bytes, as: UTF8.self))
      },
      passthrough: { _, text, _, reader, error in
        if let text, String(cString: text).hasPrefix("<!D") {
          XMLReader.of(reader).refuse("document types are not read", error)
        }
      }, error: nil)
    let context = g_markup_parse_context_new(
      parser, G_MARKUP_TREAT_CDATA_AS_TEXT, Unmanaged.passUnretained(reader).toOpaque(), nil)
    defer { g_markup_parse_context_free(context) }
    var error: UnsafeMutablePointer<GError>?
    var text = text
    let isRead = text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        g_markup_parse_context_parse(context, $0.baseAddress, $0.count, &error) != 0
      }
    }
    if isRead, g_markup_parse_context_end_parse(context, &error) != 0, let root = reader.root {
      return root
    }
    defer { g_clear_error(&error) }
    // Its own words begin with the place.
    let words = error.flatMap { String(cString: $0.pointee.message).split(separator: ": ").last }
    throw .malformed(
      path: "", place: place(context),
      reason: reader.refusal ?? words.map { String($0) } ?? "there is no element in it")
  }

  private static func of(_ data: gpointer?) -> XMLReader {
    guard let data else { preconditionFailure("the parser hands back what it was given") }
    return Unmanaged<XMLReader>.fromOpaque(data).takeUnretainedValue()
  }

  private static func place(_ context: OpaquePointer?) -> TextPosition {
    var (line, column): (gint, gint) = (0, 0)
    g_markup_parse_context_get_position(context, &line, &column)
    return TextPosition(line: Int(line), column: Int(column))
  }

  private func begin(
    _ name: String, _ attributes: [(String, String)], _ place: TextPosition,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?
  ) {
    var known: [String: String] = [:]
    for (key, value) in attributes where known.updateValue(value, forKey: key) != nil {
      return refuse("\(key) is given twice", error)
    }
    guard root == nil else { return refuse("there is more after the document's end", error) }
    guard open.count < Self.deepest else {
      return refuse("elements are nested more than \(Self.deepest) deep", error)
    }
    open.append(XMLElement(name: name, attributes: known, place: place))
  }

  private func add(_ text: String) {
    if !open.isEmpty { open[open.count - 1].text += text }
  }

  private func end() {
    var element = open.removeLast()
    element.text = trimmed(element.text[...])
    if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
  }

  private func refuse(
    _ reason: String, _ error: UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?
  ) {
    refusal = reason
    let code = gint(G_MARKUP_ERROR_INVALID_CONTENT.rawValue)
    g_set_error_literal(error, g_markup_error_quark(), code, reason)
  }
}
