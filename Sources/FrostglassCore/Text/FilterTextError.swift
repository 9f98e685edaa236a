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
