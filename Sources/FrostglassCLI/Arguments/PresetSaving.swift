internal import Frostglass
internal import FrostglassOptions

/// What `--save-preset` asks for: the recipe of this command line in a file.
struct PresetSaving {
  static let options: [Option] = [
    Option("save-preset", value: "FILE", "Write filters and their options to FILE, for --preset"),
    Option("preset-name", value: "TEXT", "What the saved preset is called"),
    Option("preset-description", value: "TEXT", "What the saved preset is good for"),
  ].grouped(.presets)

  private let preset: Preset
  private let path: String
  private let overwrite: Bool

  /// - Parameter preset: what there is to save.
  /// - Returns: `nil` where nothing is to be saved.
  init?(_ arguments: ParsedArguments, _ preset: Preset) throws(Failure) {
    guard let path = try arguments.sideFile("save-preset") else {
      for option in ["preset-name", "preset-description"] where arguments.has(option) {
        throw .usage("--\(option) is for a preset that is saved; it needs --save-preset FILE")
      }
      return nil
    }
    self.path = path
    overwrite = arguments.has("overwrite")
    var named = preset
    if let name = arguments.values["preset-name"] { named.name = name }
    if let text = arguments.values["preset-description"] { named.description = text }
    self.preset = named
  }

  /// Finds what can be found of trouble before any work is done.
  func check() throws(Failure) {
    try mapped(\EncodeError.failure, StillSink.file(path, overwrite: overwrite).preflight())
  }

  func save() throws(Failure) {
    try mapped(\EncodeError.failure, preset.write(to: path, overwrite: overwrite))
  }
}
