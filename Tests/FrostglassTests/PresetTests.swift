import Frostglass
import FrostglassCore
import Testing

/// Presets as text.
@Suite struct PresetTests {
  @Test func aPresetComesBackAsItWas() throws {
    let presets = [
      Preset([.gaussian(sigma: 20)]),
      Preset(
        [.gaussian(sigma: Sigma(percent: 2)), .saturation(1.8)],
        options: PlanOptions(edge: .mirror, quality: .fast, linearLight: true, scale: 2.5),
        name: "Card \"one\"", description: "Behind\ntext\u{1}, ü 😀"),
    ]
    for preset in presets { #expect(try Preset(text: preset.text) == preset, "\(preset.text)") }
  }

  @Test func everyFilterCanBeInOne() throws {
    for filter in Catalog.filters {
      let preset = Preset(FilterChain(filter))
      #expect(try Preset(text: preset.text) == preset)
    }
  }

  @Test func whatIsLeftOutIsAsUsual() throws {
    let preset = try Preset(text: "{\"filter\": \"blur(4px)\"}")
    #expect(preset.options == PlanOptions() && preset.name.isEmpty && preset.description.isEmpty)
  }

  @Test(
    arguments: [
      ("[]", "1:1", ["a preset is an object", "an array"]), ("{}", "1:1", ["no filter"]),
      ("{\n  \"filter\": \"blr(2px)\"\n}", "2:13", ["blr", "did you mean blur"]),
      ("{\"filter\": \"\"}", "1:12", ["empty"]),
      ("{\"filter\": 3}", "1:12", ["filter must be a text", "a number"]),
      ("{\"filtre\": \"blur(2px)\"}", "1:2", ["no filtre", "did you mean filter", "edge"]),
      ("{\"filter\": \"blur(2px)\", \"zzz\": 1}", "1:25", ["no zzz", "it has name"]),
      ("{\"filter\": \"blur(2px)\",\n\"edge\": \"clam\"}", "2:9", ["clam", "did you mean clamp"]),
      ("{\"filter\": \"blur(2px)\", \"scale\": 0}", "1:34", ["scale", "0.001 to 1000"]),
      ("{\"filter\": \"blur(2px)\", \"linear\": \"yes\"}", "1:35", ["true or false", "a string"]),
      ("{\"filter\": \"blur(2px)\"", "1:23", ["comma or }"]),
    ]) func whatIsWrongIsShown(_ text: String, _ place: String, _ words: [String]) throws
  {
    let error = try #require(throws: PresetError.self) { try Preset(text: text) }
    #expect("\(error)".hasPrefix(place + ": "), "\(error)")
    for word in words { #expect("\(error)".contains(word), "\(error)") }
  }
}
