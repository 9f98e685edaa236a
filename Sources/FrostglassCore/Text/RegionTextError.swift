/// Why a region's text cannot be read. Columns count characters from 1.
public enum RegionTextError: Error, Sendable, Hashable, CustomStringConvertible {
  case empty
  case unknownShape(String, column: Int)
  case missingClosing(shape: String, column: Int)
  case trailing(String, column: Int)
  /// Too few or too many parts; `expected` says which there must be.
  case wrongCount(shape: String, found: Int, expected: String)
  case badValue(shape: String, part: String, value: String, accepted: String)

  public var description: String {
    switch self {
    case .empty:
      "the region is empty; write for example 40,30,200,100 or ellipse(40,30,200,100)"
    case .unknownShape(let name, let column):
      "there is no region shape \(name) (column \(column))"
        + DidYouMean.hint(for: name, in: MaskShape.names) + "; shapes are X,Y,W,H, "
        + MaskShape.names.map { "\($0)(…)" }.joined(separator: ", ")
    case .missingClosing(let shape, let column):
      "the closing parenthesis of \(shape) is missing; it was opened at column \(column)"
    case .trailing(let text, let column):
      "\(text) at column \(column) is too much; separate regions by semicolons"
    case .wrongCount(let shape, let found, let expected):
      "\(shape) takes \(expected), not \(found) part\(found == 1 ? "" : "s") separated by commas"
    case .badValue(let shape, let part, let value, let accepted):
      "\(shape): \(part) is \(value.isEmpty ? "empty" : value); it must be \(accepted)"
    }
  }
}
