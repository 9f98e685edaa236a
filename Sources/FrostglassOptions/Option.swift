internal import Frostglass

/// One thing that one can ask for: the row that parsing, help, error texts, and the service's
/// description read.
package struct Option: Sendable, Hashable {
  /// Without the hyphens of a command line.
  package var name: String
  /// A single letter for command lines, if there is one.
  package var letter: Character?
  /// What the value is called in help; `nil` for a switch.
  package var value: String?
  package var help: String
  /// The words that the value may be, for shells that complete them; empty where it is anything else.
  package var choices: [String]

  package init(
    _ name: String, letter: Character? = nil, value: String? = nil, _ help: String,
    choices: [String] = []
  ) {
    self.name = name
    self.letter = letter
    self.value = value
    self.help = help
    self.choices = choices
  }
}

/// Options that several operations share.
extension Option {
  package static let background = Option(
    "background", value: "COLOR", "Behind transparent results without alpha (white)")
  package static let format = Option(
    "format", value: "EXT", "Output format, where the name does not tell",
    choices: StillFormat.allCases.filter(\.canEncode).map(\.rawValue))
  package static let frame = Option(
    "frame", value: "N", "Take this frame of an animation, from 1")
  package static let maxPixels = Option(
    "max-pixels", value: "N", "Refuse larger inputs (500000000)")
  package static let memory = Option(
    "memory", value: "SIZE",
    "Refuse what would take more, such as 2G (half of the machine's)")
  package static let outputQuality = Option("output-quality", value: "1…100", "Of lossy formats")
  package static let overwrite = Option("overwrite", "Replace existing output")
  package static let profile = Option(
    "profile", value: "P", "srgb: convert colors; keep: leave samples and profile (srgb)",
    choices: ["srgb", "keep"])
  package static let strip = Option("strip", "Drop metadata")
}
