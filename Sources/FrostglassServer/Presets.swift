internal import Frostglass
internal import FrostglassCore
package import FrostglassOptions

/// An operation with fields, as in requests, which the operator gives a name.
package struct ServicePreset: Sendable, Hashable {
  /// The title; may be empty.
  package var title = ""
  /// The description; may be empty.
  package var description = ""
  package var operation: Operation
  /// As requests have them.
  package var fields: [Field]

  package init(_ operation: Operation, _ fields: [Field]) {
    self.operation = operation
    self.fields = fields
  }

  /// The fields that say what is done to an image; of two of them nobody could tell which one counts.
  static let effects = ["sigma", "style", "filter", "intensity"]

  /// True if it says what is done to an image, so that a request must not say something else.
  var hasEffect: Bool { fields.contains { Self.effects.contains($0.name) } }
}

extension ServicePreset {
  /// Reads a preset from JSON: what `--save-preset` writes, or fields of any operation by their names.
  ///
  /// - Throws: `PresetError.malformed` with line and column, or `Failure` for a value that its operation does
  ///   not take.
  package init(text: String) throws {
    let document: JSONValue
    do { document = try JSONValue(text: text) } catch {
      throw PresetError.malformed(path: nil, place: error.place, reason: error.reason)
    }
    guard case .object(let members) = document.content else {
      throw Self.malformed(
        document,
        "a preset is an object, such as {\"filter\": \"blur(20px)\"}, not \(document.kind)")
    }
    self.init(.blur, [])
    if let member = members.first(where: { $0.name == "operation" }) {
      let names = Operation.allCases.map(\.rawValue)
      guard let known = Operation(rawValue: try Self.string(member)) else {
        throw Self.malformed(
          member.value,
          "operation must be one of \(names.joined(separator: ", "))"
            + DidYouMean.hint(for: try Self.string(member), in: names))
      }
      operation = known
    }
    for member in members { try set(member) }
    guard !fields.isEmpty || operation != .blur else {
      throw Self.malformed(
        document, "the preset has no filter; add one, such as \"filter\": \"blur(20px)\"")
    }
    try PreparedOrder.check(self)
  }

  private mutating func set(_ member: JSONValue.Member) throws(PresetError) {
    switch member.name {
    case "name": title = try Self.string(member)
    case "description": description = try Self.string(member)
    case "operation": break
    default:
      let options = operation.options.filter { !operation.parts.contains($0.name) }
      guard let option = options.first(where: { $0.name == member.name }) else {
        let names = ["name", "description", "operation"] + options.map(\.name)
        throw .malformed(
          path: nil, place: member.place,
          reason: "a preset for \(operation.rawValue) has no \(member.name)"
            + "\(DidYouMean.hint(for: member.name, in: names)); it has "
            + names.joined(separator: ", "))
      }
      let values = try Self.values(member, option)
      guard values.count == 1 || option.canRepeat else {
        throw Self.malformed(member.value, "\(member.name) has one value")
      }
      guard !fields.contains(where: { $0.name == member.name }) else {
        throw .malformed(path: nil, place: member.place, reason: "\(member.name) is given twice")
      }
      fields += values.map { Field(option.name, $0) }
    }
  }

  private static func values(
    _ member: JSONValue.Member, _ option: Option
  ) throws(PresetError) -> [String] {
    switch (member.value.content, option.value) {
    case (.bool(let isOn), nil): return [isOn ? "true" : "false"]
    case (_, nil):
      throw malformed(
        member.value, "\(member.name) must be true or false, not \(member.value.kind)")
    case (.string(let text), _?): return [text]
    case (.number(let number), _?):
      return [number == number.rounded() && abs(number) < 1e15 ? "\(Int(number))" : "\(number)"]
    case (.array(let values), _?):
      return try values.map { value throws(PresetError) in
        guard case .string(let text) = value.content else {
          throw malformed(value, "\(member.name) must hold texts, not \(value.kind)")
        }
        return text
      }
    default:
      throw malformed(
        member.value, "\(member.name) must be a text or a number, not \(member.value.kind)")
    }
  }

  private static func string(_ member: JSONValue.Member) throws(PresetError) -> String {
    guard case .string(let text) = member.value.content else {
      throw malformed(member.value, "\(member.name) must be a text, not \(member.value.kind)")
    }
    return text
  }

  private static func malformed(_ value: JSONValue, _ reason: String) -> PresetError {
    .malformed(path: nil, place: value.place, reason: reason)
  }
}

/// The operator's presets, by name.
package struct Presets: Sendable {
  private let presets: [String: ServicePreset]
  /// True if requests must name a preset.
  package let areRequired: Bool

  /// The fields that a request may have in addition to a preset where presets are required.
  static let freeFields = ["format", "frame"]

  package init(_ presets: [String: ServicePreset] = [:], areRequired: Bool = false) {
    self.presets = presets
    self.areRequired = areRequired
  }

  /// Reads all `NAME.json` of a folder.
  ///
  /// - Throws: `Failure` where the folder or one of its presets cannot be read; for the operator, with paths.
  package init(folder: String, areRequired: Bool = false) throws(Failure) {
    var presets: [String: ServicePreset] = [:]
    let names: [String]
    do { names = try namesOfFiles(in: folder) } catch {
      throw Failure("\(folder): cannot be read (\(error.words))", .noInput)
    }
    for name in names where name.hasSuffix(".json") && !name.hasPrefix(".") {
      presets[String(name.dropLast(".json".count))] = try Self.preset("\(folder)/\(name)")
    }
    self.init(presets, areRequired: areRequired)
  }

  private static func preset(_ path: String) throws(Failure) -> ServicePreset {
    let bytes: [UInt8]
    do { bytes = try bytesOfFile(path, most: 1 << 20) } catch {
      throw Failure("\(path): cannot be read (\(error.words))", .noInput)
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Failure("\(path): is no UTF-8 text", .badData)
    }
    do { return try ServicePreset(text: text) } catch PresetError.malformed(
      _, let place, let reason)
    {
      throw PresetError.malformed(path: path, place: place, reason: reason).failure
    } catch let error as Failure {
      throw Failure("\(path): \(Problem.inFieldWords(error.message))", .badData)
    } catch { throw Failure("\(path): \(error)", .badData) }
  }

  /// Their names, in order.
  package var names: [String] { presets.keys.sorted() }

  /// The first that has faces looked for; `nil` where none does.
  var finding: String? {
    names.first { name in
      presets[name].map { preset in
        preset.operation == .find || preset.fields.contains { $0.name == "find" }
      } ?? false
    }
  }

  /// Their names, for people.
  var list: String { names.isEmpty ? "there are none" : names.joined(separator: ", ") }

  /// - Throws: `Problem` where there is none of that name.
  func preset(_ name: String) throws(Problem) -> ServicePreset {
    guard let preset = presets[name] else {
      let name = String(name.prefix(64))
      throw .badRequest(
        "there is no preset \(name)\(DidYouMean.hint(for: name, in: names)); presets are: \(list)")
    }
    return preset
  }

  /// All of them as JSON.
  var json: String {
    JSONText.array(
      names.compactMap { name in
        presets[name].map { preset in
          JSONText.object([
            ("name", JSONText.string(name)), ("title", JSONText.string(preset.title)),
            ("description", JSONText.string(preset.description)),
            ("operation", JSONText.string(preset.operation.rawValue)),
            (
              "filter",
              JSONText.string(preset.fields.first { $0.name == "filter" }?.value ?? "")
            ),
            (
              "fields",
              JSONText.array(
                preset.fields.map {
                  JSONText.object([
                    ("name", JSONText.string($0.name)), ("value", JSONText.string($0.value)),
                  ])
                })
            ),
          ])
        }
      })
  }
}
