public import FrostglassCore
public import FrostglassStills

/// A named filter chain with its options, to save and share.
///
/// Masks are not part of it: they belong to one image.
public struct Preset: Sendable, Hashable {
  /// The preset's name; may be empty.
  public var name: String
  /// The preset's purpose; may be empty.
  public var description: String
  /// The filters, in order.
  public var chain: FilterChain
  /// Edge, quality, scale and linear light.
  public var options: PlanOptions

  /// Creates a preset; options left out have their defaults, or are empty.
  public init(
    _ chain: FilterChain, options: PlanOptions = PlanOptions(), name: String = "",
    description: String = ""
  ) {
    self.name = name
    self.description = description
    self.chain = chain
    self.options = options
    self.options.mask = nil
  }

  /// The preset as a JSON object with one member per line; `init(text:)` gives it back.
  public var text: String {
    let standard = PlanOptions()
    var members: [(String, String)] = []
    if !name.isEmpty { members.append(("name", JSONText.string(name))) }
    if !description.isEmpty { members.append(("description", JSONText.string(description))) }
    members.append(("filter", JSONText.string(chain.text)))
    if options.edge != standard.edge {
      members.append(("edge", JSONText.string(options.edge.rawValue)))
    }
    if options.quality != standard.quality {
      members.append(("quality", JSONText.string(options.quality.rawValue)))
    }
    if options.scale != standard.scale { members.append(("scale", "\(options.scale)")) }
    if options.linearLight { members.append(("linear", "true")) }
    let lines = members.map { "  \(JSONText.string($0)): \($1)" }
    return "{\n" + lines.joined(separator: ",\n") + "\n}\n"
  }
}

extension Preset {
  /// The keys of a preset's object. Only `filter` is required.
  static let keys = ["name", "description", "filter", "edge", "quality", "scale", "linear"]

  /// Reads a preset from JSON.
  ///
  /// - Throws: `PresetError.malformed` with line and column.
  public init(text: String) throws(PresetError) {
    let document: JSONValue
    do { document = try JSONValue(text: text) } catch {
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
      do { chain = try FilterChain(text: text) } catch {
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

extension Preset {
  /// More is no preset.
  private static let mostMebibytes = 1

  /// Reads a preset's file.
  ///
  /// - Throws: `PresetError`.
  public init(file path: String) throws(PresetError) {
    let text = try Self.contents(path)
    do { try self.init(text: text) } catch { throw error.inFile(path) }
  }

  /// Writes the preset to a file, which appears whole or not at all.
  ///
  /// - Throws: `EncodeError.exists` or `.unwritable`.
  public func write(to path: String, overwrite: Bool = false) throws(EncodeError) {
    try StillSink.file(path, overwrite: overwrite).write(Array(text.utf8))
  }

  private static func contents(_ path: String) throws(PresetError) -> String {
    do {
      return try TextFile.contents(path, most: mostMebibytes)
    } catch {
      switch error {
      case .missing: throw .missing(path: path)
      case .unreadable(let reason): throw .unreadable(path: path, reason: reason)
      case .notText(let place):
        throw .malformed(path: path, place: place, reason: TextFile.notUTF8)
      }
    }
  }
}

/// An error in reading a preset.
public enum PresetError: Error, Sendable, Hashable, CustomStringConvertible {
  /// There is no such file.
  case missing(path: String)
  /// The file cannot be read, for a reason of the system.
  case unreadable(path: String, reason: String)
  /// The file's content is invalid. `path` is `nil` for text that comes from no file.
  case malformed(path: String?, place: TextPosition, reason: String)

  /// A user-facing description of the error.
  public var description: String {
    switch self {
    case .missing(let path):
      "\(path): there is no such preset; give the path of a file that --save-preset has written"
    case .unreadable(let path, let reason):
      "\(path): cannot be read (\(reason)); give a preset that you may read"
    case .malformed(let path, let place, let reason):
      (path.map { "\($0):" } ?? "") + "\(place.short): \(reason)"
    }
  }

  /// Returns the same error for text from this file.
  func inFile(_ path: String) -> PresetError {
    guard case .malformed(_, let place, let reason) = self else { return self }
    return .malformed(path: path, place: place, reason: reason)
  }
}
