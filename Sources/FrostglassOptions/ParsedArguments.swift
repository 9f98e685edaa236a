package import Frostglass

/// What was asked for: the words of a command line, or the fields of a request.
///
/// Messages call options as a command line does, `--sigma`.
package struct ParsedArguments {
  /// The words that are no options, in order.
  package var operands: [String] = []
  /// Values by option name; switches have an empty one.
  package var values: [String: String] = [:]
  /// The values of options that are given several times, in order.
  package var repeated: [String: [String]] = [:]
  /// What values mean that name files.
  package let files: any OptionFiles

  package init(files: any OptionFiles) { self.files = files }

  /// Takes one option more.
  package mutating func add(_ name: String, _ value: String) {
    values[name] = value
    repeated[name, default: []].append(value)
  }

  /// Whether an option is given.
  package func has(_ name: String) -> Bool { values[name] != nil }

  /// The value of an option that takes one of a few words.
  ///
  /// - Parameter others: words that the option takes too, for the message.
  package func choice<Choice>(
    _ name: String, default value: Choice, beside others: [String] = []
  ) throws(Failure) -> Choice
  where Choice: RawRepresentable<String> & CaseIterable {
    guard let text = values[name] else { return value }
    guard let choice = Choice(rawValue: text.lowercased()) else {
      let words = Choice.allCases.map(\.rawValue) + others
      throw .usage(
        "--\(name) is \(text); it must be one of \(words.joined(separator: ", "))"
          + DidYouMean.hint(for: text, in: words))
    }
    return choice
  }

  /// The value of an option that takes a whole number.
  package func integer(_ name: String, in range: ClosedRange<Int>) throws(Failure) -> Int? {
    guard let text = values[name] else { return nil }
    guard let number = Int(text), range.contains(number) else {
      let accepted =
        range.upperBound == .max
        ? "a whole number, \(range.lowerBound) or more"
        : "a whole number from \(range.lowerBound) to \(range.upperBound)"
      throw .usage("--\(name) is \(text); it must be \(accepted)")
    }
    return number
  }

  /// The value of an option that takes a number.
  package func number(_ name: String, in range: ClosedRange<Double>) throws(Failure) -> Double? {
    guard let text = values[name] else { return nil }
    guard let number = Double(text), range.contains(number) else {
      throw .usage(
        "--\(name) is \(text); it must be a number from \(range.lowerBound) to "
          + "\(range.upperBound)")
    }
    return number
  }

  /// The value of an option that takes an amount of memory, in bytes.
  package func bytes(_ name: String) throws(Failure) -> Int? {
    guard let text = values[name] else { return nil }
    guard let size = ByteCount(text: text) else {
      throw .usage("--\(name) is \(text); it must be a number of bytes, or one with K, M, G or T")
    }
    return size.bytes
  }

  /// The value of an option that takes a standard deviation.
  package func sigma(_ name: String) throws(Failure) -> Sigma? {
    guard let text = values[name] else { return nil }
    guard let sigma = Sigma(text: text) else {
      throw .usage(
        text.contains(":")
          ? "--\(name) is \(text); other tools' numbers are written "
            + BlurTool.allCases.map(\.usage).joined(separator: ", ")
          : "--\(name) is \(text); it must be from 0 to 1000 pixels, or from 0% to 100% of the "
            + "shorter side, or a tool's number such as pillow:10")
    }
    return sigma
  }

  /// The value of an option that takes an opaque color.
  ///
  /// - Parameter example: a color's name, for the message.
  package func opaqueColor(
    _ name: String, default value: Color, named example: String
  ) throws(Failure) -> Color {
    guard let text = values[name] else { return value }
    guard let color = Color(text: text), color.alpha == 1 else {
      throw .usage(
        "--\(name) is \(text); it must be an opaque CSS color, such as \(example) or #1c1c1e"
          + Color.hint(for: text))
    }
    return color
  }

  /// The value of an option that takes several, separated by commas.
  ///
  /// - Parameters:
  ///   - accepted: what each must be, for the message.
  ///   - read: `nil` for a word that is none of them.
  package func list<Value>(
    _ name: String, accepted: String, _ read: (String) -> Value?
  ) throws(Failure) -> [Value]? {
    guard let text = values[name] else { return nil }
    var list: [Value] = []
    for word in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let value = read(String(word)) else {
        let place = word == text ? "" : ", where \"\(word)\" is wrong"
        throw .usage("--\(name) is \(text)\(place); it must be \(accepted)")
      }
      list.append(value)
    }
    return list
  }
}

/// Reads the files that options name.
package protocol OptionFiles: Sendable {
  /// What `preset` names.
  func preset(_ value: String) throws(Failure) -> Preset

  /// What `regions` names.
  ///
  /// - Parameter format: where it is said.
  func regions(_ value: String, _ format: RegionsFormat?) throws(Failure) -> RegionsFile

  /// What `mask` names.
  ///
  /// - Parameter maxPixels: larger files are refused.
  func mask(
    _ value: String, _ channel: MaskChannel, maxPixels: Int
  ) throws(Failure) -> MaskPicture
}
