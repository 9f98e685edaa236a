extension FilterChain {
  /// Reads filters written like CSS: `blur(20px) saturate(180%) tint(white, 0.3)`.
  ///
  /// Functions are applied left to right. Arguments are given by position in the order of the
  /// filter's table, or as `name=value`. The grammar is in docs/filter-text.md.
  ///
  /// - Throws: `FilterTextError` naming what is wrong, where, and what would be accepted.
  public init(text: String) throws(FilterTextError) {
    var scanner = FilterScanner(text)
    var filters: [any Filter] = []
    while let call = try scanner.nextCall() {
      guard let type = Catalog.filter(named: call.name.lowercased()) else {
        throw .unknownFilter(call.name, column: call.column)
      }
      filters.append(try type.read(call.arguments))
    }
    guard !filters.isEmpty else { throw .empty }
    self.init(filters)
  }
}

extension Filter {
  /// The filter with these arguments, each `value` or `name=value`.
  fileprivate static func read(_ arguments: [String]) throws(FilterTextError) -> Self {
    let table = definition.parameters
    var filter = Self()
    var given = Set<Int>()
    for (position, argument) in arguments.enumerated() {
      let (index, text) = try place(argument, at: position)
      let parameter = table[index]
      guard given.insert(index).inserted else {
        throw .givenTwice(filter: definition.name, parameter: parameter.name)
      }
      guard let value = ParameterValue(text, for: parameter.kind) else {
        throw .badValue(
          filter: definition.name, parameter: parameter.name, value: text,
          accepted: parameter.kind.accepted)
      }
      filter.set(parameter: index, to: value)
    }
    return filter
  }

  /// Which parameter an argument is for, and its value's text.
  private static func place(
    _ argument: String, at position: Int
  ) throws(FilterTextError) -> (index: Int, text: String) {
    let table = definition.parameters
    guard let equals = argument.firstIndex(of: "=") else {
      guard position < table.count else {
        throw .tooManyArguments(filter: definition.name, accepted: table.count)
      }
      return (position, argument)
    }
    let name = trimmed(argument[..<equals]).lowercased()
    guard let index = table.firstIndex(where: { $0.name == name }) else {
      throw .unknownParameter(
        filter: definition.name, parameter: name, known: table.map(\.name))
    }
    return (index, trimmed(argument[argument.index(after: equals)...]))
  }
}

/// The text without white space at both ends.
func trimmed(_ text: Substring) -> String {
  let start = text.firstIndex { !$0.isWhitespace } ?? text.endIndex
  let end = text.lastIndex { !$0.isWhitespace }.map { text.index(after: $0) } ?? start
  return String(text[start..<end])
}
