internal import FrostglassOptions

/// Finds the operator's preset that a request names, and the operation that it is for.
package struct TakePreset: BodyStep {
  /// Its row.
  static let option = Option(
    "preset", value: "NAME", "A preset by name; /v1/presets lists them")

  private let presets: Presets

  package init(_ presets: Presets) { self.presets = presets }

  package func run(_ context: inout RequestContext) throws(Problem) {
    guard let place = context.fields.firstIndex(where: { $0.name == "preset" }) else { return }
    let name = context.fields.remove(at: place).value
    guard !context.fields.contains(where: { $0.name == "preset" }) else {
      throw .badRequest("preset is given twice")
    }
    let preset = try presets.preset(name)
    context.preset = RequestContext.Preset(name: name, preset: preset)
    // An address that names no operation means the preset's.
    if case .work = context.route { return }
    if !context.fields.contains(where: { $0.name == "operation" }) {
      context.fields.append(Field("operation", preset.operation.rawValue))
    }
  }
}
