internal import Frostglass

/// What was on the command line.
struct ParsedArguments {
  /// The words that are no options, in order.
  var operands: [String] = []
  /// Values by option name; switches have an empty one.
  var values: [String: String] = [:]
  /// The values of options that are given several times, in order.
  var repeated: [String: [String]] = [:]

  func has(_ name: String) -> Bool { values[name] != nil }

  /// The value of an option that takes one of a few words.
  ///
  /// - Parameter others: words that the option takes too, for the message.
  func choice<Choice>(
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
  func integer(_ name: String, in range: ClosedRange<Int>) throws(Failure) -> Int? {
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
  func number(_ name: String, in range: ClosedRange<Double>) throws(Failure) -> Double? {
    guard let text = values[name] else { return nil }
    guard let number = Double(text), range.contains(number) else {
      throw .usage(
        "--\(name) is \(text); it must be a number from \(range.lowerBound) to "
          + "\(range.upperBound)")
    }
    return number
  }

  /// The value of an option that takes an amount of memory, in bytes.
  func bytes(_ name: String) throws(Failure) -> Int? {
    guard let text = values[name] else { return nil }
    guard let size = ByteCount(text: text) else {
      throw .usage("--\(name) is \(text); it must be a number of bytes, or one with K, M, G or T")
    }
    return size.bytes
  }

  /// The value of an option that takes a standard deviation, but no tool's number.
  func sigma(_ name: String) throws(Failure) -> Sigma? {
    guard let text = values[name] else { return nil }
    guard let sigma = Sigma(text: text) else {
      throw .usage(
        "--\(name) is \(text); it must be from 0 to 1000 pixels, or from 0% to 100% of the "
          + "shorter side")
    }
    return sigma
  }

  /// The value of an option that takes an opaque color.
  ///
  /// - Parameter example: a color's name, for the message.
  func opaqueColor(
    _ name: String, default value: Color, named example: String
  ) throws(Failure) -> Color {
    guard let text = values[name] else { return value }
    guard let color = Color(text: text), color.alpha == 1 else {
      throw .usage(
        "--\(name) is \(text); it must be an opaque CSS color, such as \(example) or #1c1c1e")
    }
    return color
  }

  /// The value of an option that takes several, separated by commas.
  ///
  /// - Parameters:
  ///   - accepted: what each must be, for the message.
  ///   - read: `nil` for a word that is none of them.
  func list<Value>(
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

  /// The file that an option writes beside the pictures.
  ///
  /// - Throws: when it is one of the pictures, under any name, or no file.
  func sideFile(_ option: String) throws(Failure) -> String? {
    guard let path = values[option] else { return nil }
    guard !path.isEmpty, path != "-" else {
      throw .usage("--\(option) is \(path.isEmpty ? "empty" : path); it must be a file")
    }
    for operand in operands {
      let same = FileIdentity(operand).map { $0 == FileIdentity(path) } ?? false
      guard operand != path, !same else {
        throw .usage(
          "--\(option) is \(path), which is a picture of this command; take another file")
      }
    }
    return path
  }
}
