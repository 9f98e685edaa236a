/// A JSON value that knows where it stands, so that what is wrong with it can be shown.
public struct JSONValue: Sendable, Hashable {
  /// A name with its value.
  public struct Member: Sendable, Hashable {
    public var name: String
    /// Where the name stands.
    public var place: TextPlace
    public var value: JSONValue
  }

  public enum Content: Sendable, Hashable {
    /// In the order they are written; every name once.
    case object([Member])
    case array([JSONValue])
    case string(String)
    case number(Double)
    case bool(Bool)
    case null
  }

  public var content: Content
  public var place: TextPlace

  /// Reads a text with one value, as RFC 8259 has it.
  ///
  /// - Throws: `JSONError`, also for a name that is given twice and for values more than 64 deep.
  public init(text: String) throws(JSONError) {
    var reader = JSONReader(text)
    self = try reader.document()
  }

  init(_ content: Content, at place: TextPlace) {
    self.content = content
    self.place = place
  }

  /// What kind of value it is, with an article.
  public var kind: String {
    switch content {
    case .object: "an object"
    case .array: "an array"
    case .string: "a string"
    case .number: "a number"
    case .bool: "true or false"
    case .null: "null"
    }
  }
}
