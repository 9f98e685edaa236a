internal import FrostglassCore

extension SceneDocument {
  /// Where a scene's text first has a string in a member of some name, or in an array that is one:
  /// `12:7: layers[0].items[2].image`.
  ///
  /// - Parameters:
  ///   - names: of members; those in front are looked for first.
  ///   - isMeant: whether a string is it.
  /// - Returns: `nil` where there is none.
  package static func place(
    in text: String, of names: [String], _ isMeant: (String) -> Bool
  ) -> String? {
    guard let value = try? JSONValue(text: text) else { return nil }
    for name in names {
      if let found = place(in: value, "", member: nil, named: name, isMeant) { return found }
    }
    return nil
  }

  /// - Parameters:
  ///   - path: of the value.
  ///   - member: the name of the member that it is, or is in an array of.
  private static func place(
    in value: JSONValue, _ path: String, member: String?, named name: String,
    _ isMeant: (String) -> Bool
  ) -> String? {
    switch value.content {
    case .string(let text):
      return member == name && isMeant(text) ? "\(value.place.short): \(path)" : nil
    case .array(let values):
      for (index, value) in values.enumerated() {
        if let found = place(in: value, "\(path)[\(index)]", member: member, named: name, isMeant) {
          return found
        }
      }
    case .object(let members):
      for inner in members {
        let path = path.isEmpty ? inner.name : "\(path).\(inner.name)"
        // Of two values for two appearances either may be it.
        let isAppearance = inner.name == "light" || inner.name == "dark"
        let known = isAppearance ? member : inner.name
        if let found = place(in: inner.value, path, member: known, named: name, isMeant) {
          return found
        }
      }
    case .number, .bool, .null: break
    }
    return nil
  }
}
