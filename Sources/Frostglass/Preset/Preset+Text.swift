extension Preset {
  /// What a preset's object may have in it; `filter` must be there.
  static let keys = ["name", "description", "filter", "edge", "quality", "scale", "linear"]

  /// Reads a preset from JSON.
  ///
  /// - Throws: `PresetError.malformed` with line and column.
  public init(text: String) throws(PresetError) {
    let document: JSONValue
    do throws(JSONError) { document = try JSONValue(text: text) } catch {
      throw .malformed(path: nil, place: error.place, reason: error.reason)
    }
    guard case .object(let members) = document.content else {
      throw Self.malformed(
        document,
        "a preset is an object, such as {\"filter\": \"blur(20px)\"}, not \(document.kind)")
    }
    self.init([])
    for member in members { try set(member) }
    guard members.contains(where: { $0.name == "filter" }) else {
      throw Self.malformed(
        document, "the preset has no filter; add one, such as \"filter\": \"blur(20px)\"")
    }
  }

  private mutating func set(_ member: JSONValue.Member) throws(PresetError) {
    switch member.name {
    case "name": name = try Self.string(member)
    case "description": description = try Self.string(member)
    case "filter":
      let text = try Self.string(member)
      do throws(FilterTextError) { chain = try FilterChain(text: text) } catch {
        throw Self.malformed(member.value, "filter: \(error)")
      }
    case "edge": options.edge = try Self.choice(member)
    case "quality": options.quality = try Self.choice(member)
    case "scale":
      guard case .number(let scale) = member.value.content, (0.001...1000).contains(scale) else {
        throw Self.malformed(member.value, "scale must be a number from 0.001 to 1000")
      }
      options.scale = scale
    case "linear":
      guard case .bool(let linear) = member.value.content else {
        throw Self.malformed(member.value, "linear must be true or false, not \(member.value.kind)")
      }
      options.linearLight = linear
    default:
      let hint = DidYouMean.hint(for: member.name, in: Self.keys)
      throw .malformed(
        path: nil, place: member.place,
        reason: "a preset has no \(member.name)\(hint); it has \(Self.keys.joined(separator: ", "))"
      )
    }
  }

  private static func string(_ member: JSONValue.Member) throws(PresetError) -> String {
    guard case .string(let text) = member.value.content else {
      throw malformed(member.value, "\(member.name) must be a text, not \(member.value.kind)")
    }
    return text
  }

  private static func choice<Choice>(_ member: JSONValue.Member) throws(PresetError) -> Choice
  where Choice: RawRepresentable<String> & CaseIterable {
    let words = Choice.allCases.map(\.rawValue)
    let text = try string(member)
    guard let choice = Choice(rawValue: text) else {
      throw malformed(
        member.value,
        "\(member.name) is \(text); it must be one of \(words.joined(separator: ", "))"
          + DidYouMean.hint(for: text, in: words))
    }
    return choice
  }

  private static func malformed(_ value: JSONValue, _ reason: String) -> PresetError {
    .malformed(path: nil, place: value.place, reason: reason)
  }
}
