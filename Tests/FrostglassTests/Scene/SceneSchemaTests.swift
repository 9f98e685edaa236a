import Frostglass
import FrostglassCore
import FrostglassScenes
import TestSupport
import Testing

/// docs/scene.schema.json says what the reader of scenes does.
@Suite struct SceneSchemaTests {
  private func schema() throws -> JSONValue {
    try JSONValue(text: #require(Files.text(of: "\(Files.root)/docs/scene.schema.json")))
  }

  @Test func everyStrictObjectHasASample() throws {
    let sampled = Set(SchemaSample.all.map(\.definition)).sorted()
    #expect(try SchemaDefinition.strict(in: schema()) == sampled)
  }

  @Test(arguments: SchemaSample.all) func namesAreThoseThatAreRead(_ sample: SchemaSample) throws {
    let definition = SchemaDefinition(sample.definition, of: try schema())
    // The message for a name that is not known lists all that are.
    let reason = try #require(sample.error(with: "never", "0")).reason
    let known = try #require(reason.split(separator: "; known are ").last)
      .split(separator: ", ").map(String.init).sorted()
    #expect(reason.hasPrefix("there is no \"never\" here"))
    #expect(known == definition.names(beside: sample.given.map(\.name)))
  }

  @Test(arguments: SchemaSample.all) func rangesAreThoseThatAreRead(_ sample: SchemaSample) throws {
    let definition = SchemaDefinition(sample.definition, of: try schema())
    for name in definition.compatibleNames(with: sample.given.map(\.name)) {
      guard var range = definition.range(of: name) else { continue }
      // The schema says this one apart: a drag takes time.
      if name == "duration", sample.given.contains(where: { $0.name == "drag" }) {
        range = 0.001...range.upperBound
      }
      let error = try #require(sample.error(with: name, "1e12"), "\(name)")
      let wanted = "must be a number from \(range.lowerBound) to \(range.upperBound), not 1"
      #expect(error.reason.hasPrefix(wanted), "\(name): \(error)")
    }
  }

  @Test(arguments: SchemaSample.all) func wordsAreThoseThatAreRead(_ sample: SchemaSample) throws {
    let definition = SchemaDefinition(sample.definition, of: try schema())
    for name in definition.compatibleNames(with: sample.given.map(\.name)) where name != "metrics" {
      guard let words = definition.words(of: name) else { continue }
      let error = try #require(sample.error(with: name, "\"never\""), "\(name)")
      #expect(
        error.reason.hasPrefix("must be \(words.joined(separator: ", ")), not"), "\(name): \(error)"
      )
    }
  }

  @Test func wordsOfOtherKindsAreThoseThatAreRead() throws {
    let schema = try schema()
    #expect(
      SchemaDefinition("statusBar", of: schema).words(of: "metrics")
        == StatusBarMetrics.all.map(\.name))
    let kinds = SchemaDefinition("layer", of: schema).words(of: "kind") ?? []
    let layer = SchemaSample.all.first { $0.definition == "itemLayer" }
    let wanted = "must be \(kinds.joined(separator: ", ")), not"
    #expect(try #require(layer?.error(with: "kind", "1")).reason.hasPrefix(wanted))
    let behaviors = SchemaDefinition("bar", of: schema).properties["behavior"]?["anyOf"]?.values
    let words = try #require(behaviors?.first?["enum"]).values.compactMap(\.text)
    let bar = SchemaSample.all.first { $0.definition == "bar" }
    let answer = try #require(bar?.error(with: "behavior", "\"never\"")).reason
    #expect(answer.hasPrefix("must be \(words.joined(separator: ", ")), not"))
  }

  @Test func theFirstSceneOfThePageIsRead() throws {
    let page = try #require(Files.text(of: "\(Files.root)/docs/use/scenes.md"))
    let parts = page.split(separator: "```json\n", maxSplits: 1)
    let json = try #require(parts.last?.split(separator: "\n```", maxSplits: 1).first)
    let document = try SceneDocument(json: String(json))
    #expect(document.layers.count == 1 && document.content?.pictures.count == 2)
  }

  @Test func everyExampleIsRead() throws {
    let paths = Files.paths(below: "\(Files.root)/Examples/scenes", ending: ".json")
    #expect(paths.count >= 7)
    for path in paths {
      let text = try #require(Files.text(of: path))
      #expect(throws: Never.self, "\(path)") { try SceneDocument(json: text) }
      #expect(text.contains(#""$schema": "../../docs/scene.schema.json""#), "\(path)")
    }
  }
}
