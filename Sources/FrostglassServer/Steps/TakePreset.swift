internal import FrostglassOptions

/// Finds the operator's preset that a request names, and the operation that it is for.
package struct TakePreset: BodyStep {
  /// Its row.
  static let option = Option(
    "preset", value: "NAME", "A preset by name; /v1/presets lists them")

  private let presets: Presets

  package init(_ presets: Presets) { self.presets = presets }

  package func run(_ inquiry: inout Inquiry) throws(Problem) {
    guard let place = inquiry.fields.firstIndex(where: { $0.name == "preset" }) else { return }
    let name = inquiry.fields.remove(at: place).value
    guard !inquiry.fields.contains(where: { $0.name == "preset" }) else {
      throw .badRequest("preset is given twice")
    }
    let preset = try presets.preset(name)
    inquiry.preset = Inquiry.Preset(name: name, preset: preset)
    // An address that names no operation means the preset's.
    if case .work = inquiry.route { return }
    if !inquiry.fields.contains(where: { $0.name == "operation" }) {
      inquiry.fields.append(Field("operation", preset.operation.rawValue))
    }
  }
}
