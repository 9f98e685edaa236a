internal import Frostglass

extension ParsedArguments {
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
}
