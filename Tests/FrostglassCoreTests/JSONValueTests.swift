import FrostglassCore
import Testing

/// JSON with places.
@Suite struct JSONValueTests {
  @Test func everyKindIsRead() throws {
    let value = try JSONValue(text: " {\"a\": [1, -2.5e1, true, false, null], \"b\": {}}\n")
    guard case .object(let members) = value.content,
      case .array(let list) = members[0].value.content
    else { return #expect(Bool(false), "\(value)") }
    #expect(members.map(\.name) == ["a", "b"])
    #expect(
      list.map(\.content) == [.number(1), .number(-25), .bool(true), .bool(false), .null])
    #expect(members[1].value.content == .object([]))
  }

  @Test func placesAreCountedInCharacters() throws {
    let value = try JSONValue(text: "{\n  \"é\": \"x\",\n  \"b\": [\n7]}")
    guard case .object(let members) = value.content,
      case .array(let list) = members[1].value.content
    else { return #expect(Bool(false), "\(value)") }
    #expect(value.place == TextPosition(line: 1, column: 1))
    #expect(members[0].place == TextPosition(line: 2, column: 3))
    #expect(members[0].value.place == TextPosition(line: 2, column: 8))
    #expect(list[0].place == TextPosition(line: 4, column: 1))
  }

  /// RFC 8259 lets a reader pass over a mark of the byte order, in front and once.
  @Test func aMarkOfTheByteOrderIsPassedOver() throws {
    let value = try JSONValue(text: "\u{FEFF}[7]")
    #expect(value == (try JSONValue(text: "[7]")))
    #expect(throws: JSONError.self) { try JSONValue(text: "\u{FEFF}\u{FEFF}[7]") }
    #expect(throws: JSONError.self) { try JSONValue(text: "[\u{FEFF}7]") }
  }

  @Test func escapesAreUndone() throws {
    let text = #""\"\\\/\b\f\n\r\t\u0041\u00e9\ud83d\ude00ü""#
    #expect(
      try JSONValue(text: text).content == .string("\"\\/\u{8}\u{C}\n\r\tA\u{E9}\u{1F600}ü"))
  }

  @Test func escapesStandAnywhereInATextAndPlacesGoOn() throws {
    let value = try JSONValue(text: #"["ü\n€\u00e9x", "\ud83d\ude00", 1]"#)
    guard case .array(let list) = value.content else { return #expect(Bool(false), "\(value)") }
    #expect(list.map(\.content) == [.string("ü\n€\u{E9}x"), .string("\u{1F600}"), .number(1)])
    #expect(list.map(\.place.column) == [2, 17, 33])
  }

  /// However many there are.
  @Test(arguments: [2, 7, 8, 9, 40]) func noNameIsGivenTwice(count: Int) throws {
    let names = (0..<count).map { "\"\($0)\":0" }
    func text(_ names: [String]) -> String { "{\(names.joined(separator: ","))}" }
    guard case .object(let members) = try JSONValue(text: text(names)).content
    else { return #expect(Bool(false)) }
    #expect(members.map(\.name) == (0..<count).map { "\($0)" })
    for name in names {
      let error = try #require(throws: JSONError.self) { try JSONValue(text: text(names + [name])) }
      #expect(error.reason.contains("given twice"))
    }
  }

  @Test(
    arguments: [
      ("", "1:1", "the text ends"), ("{", "1:2", "a name in quotes"), ("[1", "1:3", "comma or ]"),
      ("{\"a\":1,}", "1:8", "a name in quotes"), ("[1,]", "1:4", "a value was expected"),
      ("{\n \"a\" 1}", "2:6", "a colon"), ("{\"a\":1 \"b\":2}", "1:8", "a comma or }"),
      ("1 2", "1:3", "more after the end"), ("blur", "1:1", "texts need quotes"),
      ("\"a\nb\"", "1:1", "closing quote"), ("\"a", "1:1", "closing quote"),
      ("\"a\tb\"", "1:3", "control character"), ("\"\\x\"", "1:2", "no escape \\x"),
      ("\"\\u12g4\"", "1:2", "hexadecimal"), ("\"\\ud83d\"", "1:2", "half a character"),
      ("\"\\ude00\"", "1:2", "half a character"), ("01", "1:1", "not a number"),
      ("1.", "1:1", "not a number"), ("-", "1:1", "not a number"), ("1e999", "1:1", "not a number"),
      ("{\"a\":1,\n\"a\":2}", "2:1", "given twice"),
      (String(repeating: "[", count: 65), "1:65", "64 deep"),
    ]) func whatIsWrongIsShown(_ text: String, _ place: String, _ reason: String) throws
  {
    let error = try #require(throws: JSONError.self) { try JSONValue(text: text) }
    #expect(error.place.short == place, "\(error)")
    #expect(error.reason.contains(reason), "\(error)")
  }

  @Test func valuesCanBeLimited() throws {
    _ = try JSONValue(text: "[1, [2, 3]]", most: 5)
    #expect(throws: JSONError.self) { try JSONValue(text: "[1, [2, 3]]", most: 4) }
  }
}
