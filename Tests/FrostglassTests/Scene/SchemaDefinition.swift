import Frostglass
import FrostglassCore

/// One of the objects of docs/scene.schema.json.
struct SchemaDefinition {
  /// The schema's properties by name.
  private(set) var properties: [String: JSONValue] = [:]
  /// For some names, other names of which one is required too.
  private var needs: [String: [String]] = [:]
  /// Names that exclude each other.
  private var alternatives: [String] = []
  private let definitions: JSONValue

  init(_ name: String, of schema: JSONValue) {
    definitions = schema["$defs"] ?? schema
    if let definition = definitions[name] { add(definition) }
  }

  private mutating func add(_ definition: JSONValue) {
    properties.merge(definition["properties"]?.members ?? [:]) { own, _ in own }
    for (name, others) in definition["dependentRequired"]?.members ?? [:] {
      needs[name] = others.values.compactMap(\.text)
    }
    for (name, condition) in definition["dependentSchemas"]?.members ?? [:] {
      guard let choices = condition["anyOf"] else { continue }
      needs[name] = choices.values.compactMap { $0["required"]?.values.first?.text }
    }
    alternatives += (definition["oneOf"]?.values ?? []).compactMap {
      $0["required"]?.values.first?.text
    }
    for part in [definition] + (definition["allOf"]?.values ?? []) {
      if let other = referred(from: part) { add(other) }
    }
  }

  private func referred(from value: JSONValue) -> JSONValue? {
    value["$ref"]?.text.flatMap { definitions[String($0.dropFirst("#/$defs/".count))] }
  }

  /// The names that may be given beside others.
  func names(beside given: [String]) -> [String] {
    properties.keys.filter { name in needs[name].map { !$0.filter(given.contains).isEmpty } ?? true
    }
    .sorted()
  }

  /// Those of them that may be given with all the others.
  func compatibleNames(with given: [String]) -> [String] {
    names(beside: given).filter { !alternatives.contains($0) || given.contains($0) }
  }

  /// The range of a name that is a number.
  func range(of name: String) -> ClosedRange<Double>? {
    guard let property = properties[name] else { return nil }
    for value in [property, referred(from: property)].compactMap({ $0 }) {
      guard let least = value["minimum"]?.number, let most = value["maximum"]?.number else {
        continue
      }
      return least...most
    }
    return nil
  }

  /// The words of a name that is one of several.
  func words(of name: String) -> [String]? {
    properties[name]?["enum"]?.values.compactMap(\.text)
  }

  /// The names of all objects in which nothing else may be given.
  static func strict(in schema: JSONValue) -> [String] {
    (schema["$defs"]?.members ?? [:])
      .filter { _, definition in
        [definition["additionalProperties"], definition["unevaluatedProperties"]]
          .contains { $0?.content == .bool(false) }
      }
      .keys.sorted()
  }
}

extension JSONValue {
  subscript(name: String) -> JSONValue? { members[name] }

  var members: [String: JSONValue] {
    guard case .object(let members) = content else { return [:] }
    return Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first }
  }

  var values: [JSONValue] { if case .array(let values) = content { values } else { [] } }
  var text: String? { if case .string(let text) = content { text } else { nil } }
  var number: Double? { if case .number(let number) = content { number } else { nil } }
}
