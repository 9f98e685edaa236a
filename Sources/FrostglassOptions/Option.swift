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
  /// Whether it is a switch that may be written with `on` or `off` behind it.
  package var canBeOff = false
  /// Under which heading help lists it.
  package var group = Group.other

  /// The headings of help, in order.
  package enum Group: String, Sendable, CaseIterable {
    case effect = "What is done"
    case place = "Where"
    case reading = "Reading"
    case writing = "Writing"
    case presets = "Presets"
    case batch = "Several pictures"
    case running = "Running"
    case other = "Other"
  }

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

extension [Option] {
  /// The same, those that have no heading yet under this one.
  package func grouped(_ group: Option.Group) -> [Option] {
    map { $0.group == .other ? $0.grouped(group) : $0 }
  }
}

/// Options that several operations share.
extension Option {
  package static let background = Option(
    "background", value: "COLOR", "Behind transparent results without alpha (white)"
  ).grouped(.writing)
  package static let format = Option(
    "format", value: "EXT", "Output format, where the name does not tell",
    choices: StillFormat.allCases.map(\.rawValue)
  ).grouped(.writing)
  package static let frame = Option(
    "frame", value: "N", "Take this frame of an animation, from 1"
  ).grouped(.reading)
  package static let maxPixels = Option(
    "max-pixels", value: "N", "Refuse larger inputs (500000000)"
  ).grouped(.reading)
  package static let memory = Option(
    "memory", value: "SIZE",
    "Refuse what would take more, such as 2G (half of the machine's)"
  ).grouped(.reading)
  package static let outputQuality = Option(
    "output-quality", value: "1…100", "Of lossy formats"
  ).grouped(.writing)
  package static let overwrite = Option("overwrite", "Replace existing output").grouped(.writing)
  package static let profile = Option(
    "profile", value: "P", "srgb: convert colors; keep: leave samples and profile (srgb)",
    choices: ["srgb", "keep"]
  ).grouped(.reading)
  package static let strip = Option("strip", "Drop metadata").grouped(.writing)

  /// The same as a switch that something else may have turned on.
  package var thatCanBeOff: Option {
    var option = self
    option.canBeOff = true
    return option
  }

  /// The same under a heading.
  package func grouped(_ group: Group) -> Option {
    var option = self
    option.group = group
    return option
  }
}
