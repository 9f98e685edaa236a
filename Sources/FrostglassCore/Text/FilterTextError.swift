/// Why a filter text cannot be read. Columns count characters from 1.
public enum FilterTextError: Error, Sendable, Hashable, CustomStringConvertible {
  case empty
  case unknownFilter(String, column: Int)
  case expectedName(found: String, column: Int)
  case missingOpening(filter: String, column: Int)
  case missingClosing(filter: String, column: Int)
  case unknownParameter(filter: String, parameter: String, known: [String])
  case tooManyArguments(filter: String, accepted: Int)
  case givenTwice(filter: String, parameter: String)
  case badValue(filter: String, parameter: String, value: String, accepted: String)

  public var description: String {
    switch self {
    case .empty:
      "the filter text is empty; write for example blur(20px) saturate(180%)"
    case .unknownFilter(let name, let column):
      "there is no filter \(name) (column \(column))"
        + (DidYouMean.nearest(to: name, in: Catalog.filters.map { $0.info.name })
          .map { "; did you mean \($0)?" } ?? "; `frostglass filters` lists them all")
    case .expectedName(let found, let column):
      "a filter name was expected at column \(column), not \(found); "
        + "write for example blur(20px) saturate(180%)"
    case .missingOpening(let filter, let column):
      "an opening parenthesis is missing after \(filter) at column \(column); write \(filter)(…)"
    case .missingClosing(let filter, let column):
      "the closing parenthesis of \(filter) is missing; it was opened at column \(column)"
    case .unknownParameter(let filter, let parameter, let known):
      "\(filter) has no parameter \(parameter)\(DidYouMean.hint(for: parameter, in: known)); "
        + (known.isEmpty ? "it takes none" : "it takes " + known.joined(separator: ", "))
    case .tooManyArguments(let filter, let accepted):
      "\(filter) takes at most \(accepted) argument\(accepted == 1 ? "" : "s")"
    case .givenTwice(let filter, let parameter):
      "\(filter): \(parameter) is given twice"
    case .badValue(let filter, let parameter, let value, let accepted):
      "\(filter): \(parameter) is \(value.isEmpty ? "empty" : value); it must be \(accepted)"
    }
  }
}
