/// Walks through a filter text: names, calls and marks, with where they are.
struct FilterScanner {
  /// `name(argument, argument)`.
  struct Call {
    var name: String
    var position: TextPosition
    var arguments: [Argument]
  }

  /// The text of one argument.
  struct Argument {
    var text: String
    var position: TextPosition
  }

  /// The text with comments blanked, so that places stay what they are.
  private let characters: [Character]
  /// The indices where lines begin.
  private let lines: [Int]
  private var index = 0

  init(_ text: String) throws(FilterTextError) {
    let text = Array(text)
    lines = Self.lines(of: text)
    characters = try Self.blankingComments(text)
  }

  /// The position of the scanner.
  var position: TextPosition { Self.position(of: index, lines) }

  /// The next character, as a message would show it; `nil` at the end.
  var next: Character? { index < characters.count ? characters[index] : nil }

  /// Refuses a rule with its selector and braces.
  func refuseBlocks() throws(FilterTextError) {
    guard let brace = characters.firstIndex(where: { $0 == "{" || $0 == "}" }) else { return }
    throw FilterTextError(.block, Self.position(of: brace, lines))
  }

  mutating func skipSpace() {
    while let next, next.isWhitespace { index += 1 }
  }

  /// Takes `character` and the space around it, if it comes next.
  mutating func take(_ character: Character) -> Bool {
    skipSpace()
    guard next == character else { return false }
    index += 1
    skipSpace()
    return true
  }

  /// Takes a name; empty where there is none.
  mutating func takeName() -> String {
    let start = index
    while let next, next.isLetter || next.isNumber || next == "-" || next == "_" { index += 1 }
    return String(characters[start..<index])
  }

  /// Takes a name that `mark` follows, as in `filter:`; else takes nothing.
  mutating func takeName(before mark: Character) -> String? {
    let start = index
    let name = takeName()
    if !name.isEmpty, take(mark) { return name }
    index = start
    return nil
  }

  /// Takes a word that is no call; else takes nothing.
  mutating func takeWord() -> String? {
    let start = index
    let name = takeName()
    if !name.isEmpty, next != "(" { return name }
    index = start
    return nil
  }

  /// The next call, or `nil` at the end, before `;` and before `!`.
  mutating func nextCall() throws(FilterTextError) -> Call? {
    skipSpace()
    guard let next, next != ";", next != "!" else { return nil }
    let start = position
    let name = takeName()
    guard !name.isEmpty else { throw FilterTextError(.expectedName(found: String(next)), start) }
    guard self.next == "(" else { throw FilterTextError(.missingOpening(filter: name), position) }
    let opening = position
    index += 1
    return Call(name: name, position: start, arguments: try takeArguments(of: name, opening))
  }

  /// The arguments up to the closing parenthesis; commas inside `rgb(…)` do not separate.
  private mutating func takeArguments(
    of name: String, _ opening: TextPosition
  ) throws(FilterTextError) -> [Argument] {
    var arguments: [Argument] = []
    var depth = 0
    var start = index
    while let character = next {
      index += 1
      switch character {
      case "(": depth += 1
      case ")" where depth > 0: depth -= 1
      case ")":
        let last = argument(start..<index - 1)
        if !last.text.isEmpty || !arguments.isEmpty { arguments.append(last) }
        return arguments
      case "," where depth == 0:
        arguments.append(argument(start..<index - 1))
        start = index
      default: break
      }
    }
    throw FilterTextError(.missingClosing(filter: name), opening)
  }

  /// A run of characters without the space at both ends.
  private func argument(_ range: Range<Int>) -> Argument {
    let start = range.first { !characters[$0].isWhitespace } ?? range.upperBound
    let text = trimmed(Substring(String(characters[start..<range.upperBound])))
    return Argument(text: text, position: Self.position(of: start, lines))
  }

  private static func lines(of characters: [Character]) -> [Int] {
    [0] + characters.indices.filter { characters[$0].isNewline }.map { $0 + 1 }
  }

  /// Returns the position of a character.
  private static func position(of index: Int, _ lines: [Int]) -> TextPosition {
    // The last line that begins at or before it; a binary search, as texts may have many arguments.
    var (low, high) = (0, lines.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if lines[middle] <= index { low = middle } else { high = middle }
    }
    return TextPosition(line: low + 1, column: index - lines[low] + 1)
  }

  /// Replaces each comment by spaces; line ends in it stay.
  private static func blankingComments(
    _ text: [Character]
  ) throws(FilterTextError) -> [Character] {
    var result = text
    var index = 0
    while index + 1 < text.count {
      guard text[index] == "/", text[index + 1] == "*" else {
        index += 1
        continue
      }
      let start = index
      index += 2
      while index + 1 < text.count, text[index] != "*" || text[index + 1] != "/" { index += 1 }
      guard index + 1 < text.count else {
        throw FilterTextError(.openComment, position(of: start, lines(of: text)))
      }
      index += 2
      for place in start..<index where !text[place].isNewline { result[place] = " " }
    }
    return result
  }
}

/// A place in a text, counted from 1 in characters as a person sees them.
public struct TextPosition: Sendable, Hashable, CustomStringConvertible {
  /// The line, from 1.
  public var line: Int
  /// The column, from 1.
  public var column: Int

  /// A place in a text; in its first line where none is given.
  public init(line: Int = 1, column: Int) {
    self.line = line
    self.column = column
  }

  /// `column 7`; `line 2, column 7` from the second line on.
  public var description: String {
    line == 1 ? "column \(column)" : "line \(line), column \(column)"
  }

  /// `3:12`, as behind a file's name.
  package var short: String { "\(line):\(column)" }
}

/// The text without white space at both ends.
package func trimmed(_ text: Substring) -> String {
  let start = text.firstIndex { !$0.isWhitespace } ?? text.endIndex
  let end = text.lastIndex { !$0.isWhitespace }.map { text.index(after: $0) } ?? start
  return String(text[start..<end])
}

/// Makes a filter of a call: finds its type, places its arguments and reads their values.
struct FilterReader {
  private let call: FilterScanner.Call
  private let dialect: FilterDialect

  init(_ call: FilterScanner.Call, _ dialect: FilterDialect) {
    self.call = call
    self.dialect = dialect
  }

  func filter() throws(FilterTextError) -> any Filter {
    let name = call.name.lowercased()
    if name == "url" || name == "src" { throw FilterTextError(.url, call.position) }
    guard let filter = Catalog.filter(named: name) else {
      throw FilterTextError(.unknownFilter(call.name), call.position)
    }
    if case .css = dialect, !(filter is any CSSFunction) {
      throw FilterTextError(.notCSS(filter: name), call.position)
    }
    return try read(filter)
  }

  /// The filter with the parameters the call gives.
  private func read<Kind: Filter>(_ defaults: Kind) throws(FilterTextError) -> Kind {
    let definition = defaults.definition
    var filter = defaults
    var given = Set<Int>()
    for (place, argument) in try arguments(of: Kind.self).enumerated() {
      let index = try self.index(of: argument, at: place, in: definition)
      let parameter = definition.parameters[index]
      guard given.insert(index).inserted else {
        throw FilterTextError(
          .givenTwice(filter: call.name, parameter: parameter.name), argument.position)
      }
      filter.set(parameter: index, to: try value(argument, for: parameter, of: definition))
    }
    return filter
  }

  /// One argument, with the name of the parameter it is for, if it says so.
  private struct Named {
    var name: String?
    var text: String
    var position: TextPosition
  }

  /// The arguments with the parameters they name.
  private func arguments(of type: any Filter.Type) throws(FilterTextError) -> [Named] {
    if let type = type as? any SpacedFunction.Type, let words = spacedWords {
      let position = call.arguments.first?.position ?? call.position
      do {
        return try type.named(words).map { word in
          Named(name: word.name, text: word.text, position: position)
        }
      } catch { throw FilterTextError(.badShadow(error.text), position) }
    }
    return call.arguments.map { argument in
      guard dialect == .frostglass, let equals = argument.text.firstIndex(of: "=") else {
        return Named(name: nil, text: argument.text, position: argument.position)
      }
      return Named(
        name: trimmed(argument.text[..<equals]).lowercased(),
        text: trimmed(argument.text[argument.text.index(after: equals)...]),
        position: argument.position)
    }
  }

  /// The words of an argument list that spaces separate; `nil` when it is not one.
  ///
  /// CSS knows nothing else for such functions; Frostglass also takes them like all others.
  private var spacedWords: [String]? {
    let words = call.arguments.map(\.words)
    guard dialect == .frostglass else { return Array(words.joined(separator: [","])) }
    guard words.count == 1, words[0].count > 1, !call.arguments[0].text.contains("=") else {
      return nil
    }
    return words[0]
  }

  /// The parameter an argument is for.
  private func index<Kind>(
    of argument: Named, at place: Int, in definition: FilterDefinition<Kind>
  ) throws(FilterTextError) -> Int {
    let names = definition.parameters.map(\.name)
    guard let name = argument.name else {
      let most = dialect == .frostglass ? names.count : min(names.count, 1)
      guard place < most else {
        throw FilterTextError(
          .tooManyArguments(filter: definition.name, accepted: most), argument.position)
      }
      return place
    }
    guard let index = names.firstIndex(of: name) else {
      throw FilterTextError(
        .unknownParameter(filter: definition.name, parameter: name, known: names),
        argument.position)
    }
    return index
  }

  private func value<Kind>(
    _ argument: Named, for parameter: FilterParameter<Kind>, of definition: FilterDefinition<Kind>
  ) throws(FilterTextError) -> ParameterValue {
    let value =
      dialect == .frostglass
      ? ParameterValue(argument.text, for: parameter.kind)
      : ParameterValue(css: argument.text, for: parameter.kind)
    if let value { return value }
    let hint = ValueHint.about(argument.text, for: parameter.kind, in: dialect)
    let meant = parameter.kind == .color ? Color.hint(for: argument.text) : ""
    throw FilterTextError(
      .badValue(
        filter: definition.name, parameter: parameter.name, value: argument.text,
        accepted: hint ?? "it must be " + accepted(parameter.kind) + meant), argument.position)
  }

  private func accepted(_ kind: ParameterKind) -> String {
    guard case .css = dialect else { return kind.accepted }
    switch kind {
    case .sigma: return "a length of CSS from 0 to 1000px"
    case .length(let range):
      return "a length of CSS from \(shortest(range.lowerBound))px to "
        + "\(shortest(range.upperBound))px"
    default: return kind.accepted
    }
  }
}

/// The language in which filters are written.
enum FilterDialect: Sendable, Hashable {
  /// Frostglass's own, which CSS functions are part of: `blur(2%) tint(white, 0.3)`.
  case frostglass
  /// A declaration of a style sheet, read as a browser reads it.
  case css(CSSFilterProperty)
}

/// A CSS function whose arguments are separated by spaces, in more than one order.
protocol SpacedFunction: CSSFunction {
  /// Says which parameter each word is for; gives those that CSS leaves out their CSS defaults.
  static func named(_ words: [String]) throws(SpacedMistake) -> [(name: String, text: String)]
}

/// A mistake in the words of a spaced function.
struct SpacedMistake: Error {
  var text: String

  init(_ text: String) { self.text = text }
}

extension FilterScanner.Argument {
  /// The runs between spaces; those inside parentheses do not separate.
  fileprivate var words: [String] {
    var words: [String] = []
    var word = ""
    var depth = 0
    for character in text {
      if character.isWhitespace, depth == 0 {
        if !word.isEmpty { words.append(word) }
        word = ""
        continue
      }
      if character == "(" { depth += 1 }
      if character == ")" { depth -= 1 }
      word.append(character)
    }
    return word.isEmpty ? words : words + [word]
  }
}

/// Hints about values that a style sheet may have but that mean nothing for an image.
private enum ValueHint {
  private static let ofFonts: Set<String> = [
    "em", "rem", "ex", "rex", "ch", "rch", "cap", "rcap", "ic", "ric", "lh", "rlh",
  ]
  private static let ofWindows: Set<String> = [
    "vw", "vh", "vi", "vb", "vmin", "vmax", "svw", "svh", "lvw", "lvh", "dvw", "dvh", "cqw", "cqh",
    "cqi", "cqb", "cqmin", "cqmax",
  ]
  private static let functions: Set<String> = [
    "calc", "min", "max", "clamp", "var", "env", "attr", "round", "sin", "cos", "sqrt",
  ]

  /// A hint for a value that cannot be read; `nil` when there is nothing special about it.
  static func about(_ text: String, for kind: ParameterKind, in dialect: FilterDialect) -> String? {
    let lower = text.lowercased()
    if let open = lower.firstIndex(of: "("), functions.contains(trimmed(lower[..<open])) {
      return "\(trimmed(lower[..<open]))() is not computed; write its value"
    }
    guard let quantity = Quantity(text), kind.hasUnits else { return nil }
    if ofFonts.contains(quantity.unit) {
      return "\(quantity.unit) depends on the page's fonts; write px (1rem is 16px unless the page "
        + "says otherwise)"
    }
    if ofWindows.contains(quantity.unit) {
      return "\(quantity.unit) depends on the page's size; write px"
    }
    guard case .css = dialect else { return nil }
    switch (quantity.unit, kind) {
    case ("", .angle): return "CSS wants a unit here: \(trimmed(text[...]))deg"
    case ("", .sigma), ("", .length): return "CSS wants a unit here: \(trimmed(text[...]))px"
    case ("%", .sigma), ("%", .length):
      return "CSS has no percentages here; without the property's name in front, % is a share of "
        + "the shorter side"
    default: return nil
    }
  }
}

extension ParameterKind {
  /// True if numbers of this kind have units.
  fileprivate var hasUnits: Bool {
    switch self {
    case .factor, .sigma, .length, .angle: true
    case .integer, .color, .choice: false
    }
  }
}

/// Why a filter text cannot be read, and where.
public struct FilterTextError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The reason; names the word at fault.
  public var reason: Reason
  /// The position in the text.
  public var position: TextPosition

  init(_ reason: Reason, _ position: TextPosition) {
    self.reason = reason
    self.position = position
  }

  /// A description of the reason and the position.
  public var description: String {
    if case .empty = reason { return reason.description }
    return "\(reason) (\(position))"
  }
}

extension FilterTextError {
  /// The reason why a filter text cannot be read.
  public enum Reason: Sendable, Hashable {
    /// There is nothing in it.
    case empty
    /// No filter has this name.
    case unknownFilter(String)
    /// Something else where a filter's name should be.
    case expectedName(found: String)
    /// A filter's name without a parenthesis behind it.
    case missingOpening(filter: String)
    /// A parenthesis that is not closed.
    case missingClosing(filter: String)
    /// A comment that is not closed.
    case openComment
    /// The filter has no parameter of this name.
    case unknownParameter(filter: String, parameter: String, known: [String])
    /// More arguments than the filter has parameters.
    case tooManyArguments(filter: String, accepted: Int)
    /// A parameter is given twice.
    case givenTwice(filter: String, parameter: String)
    /// A value that the parameter does not take.
    case badValue(filter: String, parameter: String, value: String, accepted: String)
    /// Arguments of `drop-shadow` that do not make a shadow.
    case badShadow(String)
    /// A selector with braces around declarations.
    case block
    /// A property of style sheets that holds no filters.
    case unknownProperty(String)
    /// Declarations of both `filter` and `backdrop-filter`.
    case twoProperties
    /// A property without filters behind it.
    case noValue(property: String)
    /// `inherit` and its like.
    case keyword(String)
    /// `none` together with filters.
    case noneIsNotAlone
    /// A filter from elsewhere, which is never fetched.
    case url
    /// A filter that style sheets do not have, in a declaration.
    case notCSS(filter: String)
    /// A semicolon between filters.
    case separator
    /// Something that does not belong there.
    case unexpected(String)
  }
}

extension FilterTextError.Reason: CustomStringConvertible {
  /// A description of the error and of what would be accepted.
  public var description: String {
    switch self {
    case .empty: "the filter text is empty; write for example blur(20px) saturate(180%)"
    case .unknownFilter(let name):
      "there is no filter \(name)"
        + (DidYouMean.nearest(to: name, in: Catalog.filters.map(\.name))
          .map { "; did you mean \($0)?" } ?? "; `frostglass filters` lists them all")
    case .expectedName(let found):
      "a filter name was expected, not \(found); write for example blur(20px) saturate(180%)"
    case .missingOpening(let filter):
      "an opening parenthesis is missing after \(filter); write \(filter)(…)"
    case .missingClosing(let filter):
      "the closing parenthesis of \(filter) is missing; it was opened here"
    case .openComment: "the comment that begins with /* has no end */"
    case .unknownParameter(let filter, let parameter, let known):
      "\(filter) has no parameter \(parameter)\(DidYouMean.hint(for: parameter, in: known)); "
        + (known.isEmpty ? "it takes none" : "it takes " + known.joined(separator: ", "))
    case .tooManyArguments(let filter, let accepted):
      "\(filter) takes at most \(accepted) argument\(accepted == 1 ? "" : "s")"
    case .givenTwice(let filter, let parameter): "\(filter): \(parameter) is given twice"
    case .badValue(let filter, let parameter, let value, let accepted):
      "\(filter): \(parameter) is \(value.isEmpty ? "empty" : value); \(accepted)"
    default: styleSheetText
    }
  }

  /// The description of an error in a declaration of a style sheet.
  private var styleSheetText: String {
    switch self {
    case .badShadow(let what):
      "drop-shadow: \(what); write for example drop-shadow(4px 4px 8px black)"
    case .block: "write the declaration alone, without selector and braces: filter: blur(4px);"
    case .unknownProperty(let name):
      "\(name) is not a property that holds filters"
        + DidYouMean.hint(for: name, in: CSSFilterProperty.allCases.map(\.rawValue))
        + "; those are filter and backdrop-filter"
    case .twoProperties:
      "filter and backdrop-filter are about different things; give one of them"
    case .noValue(let property): "\(property) has no value; write none or filter functions"
    case .keyword(let word): "\(word) is known only to the page; write none or filter functions"
    case .noneIsNotAlone: "none stands alone, without other filters"
    case .url: "url() points to an SVG filter, which is not read; write filter functions"
    case .notCSS(let filter):
      "\(filter) is not a filter of CSS; without the property's name in front it can be used"
    case .separator:
      "filters have no ; between them; write for example blur(4px) saturate(180%)"
    case .unexpected(let found): "\(found) was not expected here"
    default: ""
    }
  }
}

/// Finds the word a person probably meant.
package enum DidYouMean {
  /// The nearest of `candidates`, when it is near enough to be worth offering.
  package static func nearest(to word: String, in candidates: [String]) -> String? {
    // A longer one is not a typo.
    guard word.utf8.count <= 256 else { return nil }
    let typed = Array(word.lowercased())
    let ranked = candidates.filter { $0.utf8.count <= 256 }.map {
      (name: $0, distance: distance(typed, Array($0.lowercased())))
    }
    guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
    // The end of one name alone, such as quality of output-quality.
    let ends = candidates.filter { $0.hasSuffix("-" + word.lowercased()) }
    if best.distance > 1, ends.count == 1 { return ends[0] }
    return best.distance <= max(1, min(typed.count, best.name.count) / 3 + 1) ? best.name : nil
  }

  /// ` (did you mean x?)`, or nothing.
  package static func hint(for word: String, in candidates: [String]) -> String {
    nearest(to: word, in: candidates).map { " (did you mean \($0)?)" } ?? ""
  }

  /// Insertions, deletions, replacements and swaps of neighbors that turn one word into the other.
  private static func distance(_ first: [Character], _ second: [Character]) -> Int {
    var rows = [Array(0...second.count)]
    for (i, letter) in first.enumerated() {
      var row = [i + 1]
      for (j, other) in second.enumerated() {
        var best = min(rows[i][j] + (letter == other ? 0 : 1), rows[i][j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, letter == second[j - 1], first[i - 1] == other {
          best = min(best, rows[i - 1][j - 1] + 1)
        }
        row.append(best)
      }
      rows.append(row)
    }
    return rows[first.count][second.count]
  }
}

/// The deadline for parsing texts.
package enum ReadingTime {
  /// The time when it ends; `nil` for never.
  @TaskLocal package static var end: ContinuousClock.Instant?

  /// True if the task was cancelled, or its time has ended. Readers ask now and then, however long their text is.
  package static var isOver: Bool { Task.isCancelled || end.map { .now > $0 } ?? false }

  /// A reason that is not in the text.
  package static let words = "the time for reading it is over"
}

extension Double {
  /// Returns the number with so many decimals at most.
  package func rounded(places: Int) -> Double {
    let scale = (0..<places).reduce(1.0) { power, _ in power * 10 }
    return (self * scale).rounded() / scale
  }

  /// Returns the number as text with so many decimals, zeros too.
  package func text(places: Int) -> String {
    let text = "\(rounded(places: places))"
    let decimals = text.split(separator: ".").last?.count ?? 0
    return text + String(repeating: "0", count: max(0, places - decimals))
  }
}

extension String {
  /// The text as a field of CSV in quotes; those in it are doubled.
  package var csvQuoted: String {
    "\"" + map { $0 == "\"" ? "\"\"" : String($0) }.joined() + "\""
  }
}
