internal import FrostglassCore

/// Why a layout does not say where things are.
public enum LayoutError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Two items have the same id.
  case duplicateItem(String)
  /// A value refers to an item that the bar does not have.
  case unknownItem(item: String, line: LayoutLine, reference: String, known: [String])
  /// An axis has fewer or more than two values.
  case wrongNumberOfLines(item: String, axis: LayoutAxis, given: [LayoutLine])
  /// Values refer to each other in a circle; the first is named again at the end.
  case circle([LayoutAnchor])
  /// A number that cannot be used.
  case badNumber(of: String, name: String, value: Double, accepted: String)

  public var description: String {
    switch self {
    case .duplicateItem(let id):
      return "two items have the id '\(id)'; each id must be used once"
    case .unknownItem(let item, let line, let reference, let known):
      let hint = DidYouMean.hint(for: reference, in: known)
      let accepted = known.isEmpty ? "none" : known.joined(separator: ", ")
      return "item '\(item)': \(line.rawValue) refers to the item '\(reference)', which is not "
        + "there\(hint); items are \(accepted)"
    case .wrongNumberOfLines(let item, let axis, let given):
      let lines = LayoutLine.lines(of: axis).map(\.rawValue).joined(separator: ", ")
      let names = given.isEmpty ? "none" : given.map(\.rawValue).joined(separator: ", ")
      return "item '\(item)': \(given.count < 2 ? "too few" : "too many") \(axis.rawValue) values "
        + "(\(names)); it must be exactly two of \(lines)"
    case .circle(let anchors):
      return "values refer to each other in a circle: "
        + anchors.map(\.description).joined(separator: " → ")
        + "; one of them must be given by the bar or in points"
    case .badNumber(let owner, let name, let value, let accepted):
      return "\(owner): \(name) is \(value); it must be \(accepted)"
    }
  }
}
